import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { commandFor, spawnIdentity, ownerOf } from './server-user.js';
import type { ServerDirectory } from './server-directory.js';

export interface Cluster {
  dir: string;
  password: string;
  isNew: boolean;
}

export const SUPERUSER = 'postloft';

/**
 * The database cluster and its password, created when missing. A cluster is created under another name and renamed when it
 * is complete and on disk, so a crash in between leaves nothing that looks like a database.
 */
export async function openCluster(directory: ServerDirectory): Promise<Cluster> {
  const dir = join(directory.path, 'cluster');
  const passwordFile = join(directory.path, 'password');
  const isNew = !existsSync(join(dir, 'PG_VERSION'));
  if (isNew) await createCluster(directory, { dir, passwordFile });
  const version = readFileSync(join(dir, 'PG_VERSION'), 'utf8').trim();
  if (version !== directory.binaries.major)
    throw new Error(
      `The database in ${dir} was made by PostgreSQL ${version}, and this version of Postloft brings ` +
        `PostgreSQL ${directory.binaries.major}. Dump it with the old version and load the dump with the new one.`,
    );
  if (!existsSync(passwordFile)) throw new Error(`The password of the database is missing: ${passwordFile}.`);
  return { dir, password: readFileSync(passwordFile, 'utf8').trim(), isNew };
}

async function createCluster(directory: ServerDirectory, { dir, passwordFile }: { dir: string; passwordFile: string }) {
  const draft = `${dir}.new`;
  rmSync(draft, { recursive: true, force: true });
  writePassword(passwordFile, directory);
  const [command, ...args] = commandFor(directory.user, [
    directory.binaries.initdb,
    ...['-D', draft, '--username', SUPERUSER, `--pwfile=${passwordFile}`, '--auth=scram-sha-256'],
    // The builtin C.UTF-8 needs no locale of the system and sorts the same everywhere.
    ...['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'],
    ...['--data-checksums', '--sync-method=syncfs'],
  ]);
  try {
    await promisify(execFile)(command, args, { ...spawnIdentity(directory.user), cwd: '/', env: serverEnvironment() });
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    const { stderr, message } = error as { stderr?: string; message: string };
    throw new Error(`The database could not be created in ${dir}: ${(stderr || message).trim()}`, { cause: error });
  }
  renameSync(draft, dir);
  // A rename is durable once the directory that holds the name is.
  const handle = openSync(directory.path, 'r');
  fsyncSync(handle);
  closeSync(handle);
}

function writePassword(file: string, directory: ServerDirectory): void {
  rmSync(file, { force: true });
  const handle = openSync(file, 'wx', 0o600);
  writeSync(handle, `${randomBytes(24).toString('base64url')}\n`);
  fsyncSync(handle);
  closeSync(handle);
  const { uid, gid } = ownerOf(directory.user);
  if (directory.user.kind === 'switched') chownSync(file, uid, gid);
}

/** Without the environment of this process: it holds secrets, and PG* and LC_* variables would change the server. */
export function serverEnvironment(): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C' };
}
