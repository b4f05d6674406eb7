import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { commandFor, identityOf, ownerOf } from './server-account.js';
import type { ServerPlace } from './server-place.js';

export interface Cluster {
  dir: string;
  password: string;
  isNew: boolean;
}

export const SUPERUSER = 'postloft';

/**
 * The files of the database and its password; made when missing. A cluster is made under another name and renamed when
 * it is complete and on disk, so a crash in between leaves nothing that looks like a database.
 */
export async function openCluster(place: ServerPlace): Promise<Cluster> {
  const dir = join(place.home, 'cluster');
  const passwordFile = join(place.home, 'password');
  const isNew = !existsSync(join(dir, 'PG_VERSION'));
  if (isNew) await createCluster(place, { dir, passwordFile });
  const version = readFileSync(join(dir, 'PG_VERSION'), 'utf8').trim();
  if (version !== place.binaries.major)
    throw new Error(
      `The database in ${dir} was made by PostgreSQL ${version}, and this version of Postloft brings ` +
        `PostgreSQL ${place.binaries.major}. Dump it with the old version and load the dump with the new one.`,
    );
  if (!existsSync(passwordFile)) throw new Error(`The password of the database is missing: ${passwordFile}.`);
  return { dir, password: readFileSync(passwordFile, 'utf8').trim(), isNew };
}

async function createCluster(place: ServerPlace, { dir, passwordFile }: { dir: string; passwordFile: string }) {
  const draft = `${dir}.new`;
  rmSync(draft, { recursive: true, force: true });
  writePassword(passwordFile, place);
  const [command, ...args] = commandFor(place.account, [
    place.binaries.initdb,
    ...['-D', draft, '--username', SUPERUSER, `--pwfile=${passwordFile}`, '--auth=scram-sha-256'],
    // PostgreSQL's own C.UTF-8: needs no locale of the system and sorts the same on every one.
    ...['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'],
    ...['--data-checksums', '--sync-method=syncfs'],
  ]);
  try {
    await promisify(execFile)(command, args, { ...identityOf(place.account), cwd: '/', env: serverEnvironment() });
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    const { stderr, message } = error as { stderr?: string; message: string };
    throw new Error(`The database could not be made in ${dir}: ${(stderr || message).trim()}`, { cause: error });
  }
  renameSync(draft, dir);
  const home = openSync(place.home, 'r');
  fsyncSync(home);
  closeSync(home);
}

function writePassword(file: string, place: ServerPlace): void {
  rmSync(file, { force: true });
  const handle = openSync(file, 'wx', 0o600);
  writeSync(handle, `${randomBytes(24).toString('base64url')}\n`);
  fsyncSync(handle);
  closeSync(handle);
  const { uid, gid } = ownerOf(place.account);
  if (place.account.kind === 'switched') chownSync(file, uid, gid);
}

/** Nothing of our environment: it holds our secrets, and PG* and LC_* variables would change the server. */
export function serverEnvironment(): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C' };
}
