import { createHash } from 'node:crypto';
import { chmodSync, chownSync, cpSync, existsSync, lchownSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { canRun, candidateUsers, ownerOf, ownerOfFolder, unprivilegedUser } from './server-user.js';
import type { ServerUser } from './server-user.js';
import { binariesAt, type ServerBinaries } from './server-binaries.js';

/** The files of the server, and the user that runs it. */
export interface ServerDirectory {
  user: ServerUser;
  binaries: ServerBinaries;
  /** `DATA_DIR/postgres` with links resolved; holds the cluster, its password and the socket. */
  path: string;
  /** Whether the files are outside DATA_DIR, which has a link to them. */
  isRelocated: boolean;
}

const RELOCATED = '/var/lib/postloft';
/** The user of the database passes through, and runs the programs. */
const SHARED = 0o755;

/**
 * Chooses the user and the directory of the server, and creates the directory. When root runs Postloft on a DATA_DIR that no
 * other user can enter, the server runs in a user namespace; where the system forbids those, the files are kept below
 * /var/lib/postloft and `DATA_DIR/postgres` is a link to them.
 */
export function prepareServerDirectory(dataDir: string, binaries: ServerBinaries): ServerDirectory {
  const link = join(dataDir, 'postgres');
  const existing = existsSync(link) ? realpathSync(link) : null;
  const parent = existing === null ? realpathSync(dataDir) : dirname(existing);
  const owner = existing === null ? null : ownerOfFolder(join(existing, 'cluster'));
  const user = candidateUsers(owner).find((candidate) => canRun(candidate, binaries.postgres, parent));
  if (user === undefined) return relocate(dataDir, binaries);
  mkdirSync(link, { recursive: true, mode: 0o700 });
  const path = realpathSync(link);
  changeOwner(path, user);
  return { user, binaries, path, isRelocated: path !== join(realpathSync(dataDir), 'postgres') };
}

function relocate(dataDir: string, binaries: ServerBinaries): ServerDirectory {
  const user = process.geteuid?.() === 0 ? unprivilegedUser() : null;
  if (user === null || !canRun(user, '/bin/true', '/'))
    throw new Error(
      'The embedded PostgreSQL cannot run as root, and no other user can be used: start Postloft as an ' +
        'unprivileged user, or set DATABASE_URL to a PostgreSQL server.',
    );
  mkdirSync(RELOCATED, { recursive: true });
  chmodSync(RELOCATED, SHARED); // independent of the umask
  const name = createHash('sha256').update(realpathSync(dataDir)).digest('hex').slice(0, 16);
  const path = join(RELOCATED, name);
  moveFiles(join(dataDir, 'postgres'), path);
  changeOwner(path, user);
  const usable = canRun(user, binaries.postgres, path) ? binaries : copyBinaries(binaries);
  return { user, binaries: usable, path, isRelocated: true };
}

function moveFiles(link: string, target: string): void {
  if (existsSync(link) && realpathSync(link) === target) return;
  if (existsSync(link)) {
    const incoming = `${target}.incoming`;
    rmSync(incoming, { recursive: true, force: true });
    rmSync(join(link, 'run'), { recursive: true, force: true }); // sockets cannot be copied
    cpSync(link, incoming, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
    renameSync(incoming, target);
    renameSync(link, `${link}.before-move`);
  } else {
    mkdirSync(target, { recursive: true, mode: 0o700 });
    rmSync(link, { force: true }); // a link whose target was removed
  }
  symlinkSync(target, link);
}

function copyBinaries(binaries: ServerBinaries): ServerBinaries {
  const tag = createHash('sha256').update(binaries.root).digest('hex').slice(0, 8);
  const target = join(RELOCATED, `postgresql-${binaries.major}-${tag}`);
  if (!existsSync(target)) {
    const incoming = mkdtempSync(`${target}.`);
    cpSync(binaries.root, join(incoming, 'native'), { recursive: true, verbatimSymlinks: true });
    shareFolders(join(incoming, 'native'));
    renameSync(join(incoming, 'native'), target);
    rmSync(incoming, { recursive: true, force: true });
  }
  return binariesAt(target, binaries.major);
}

/** Folders are copied with the umask of this process, files with their own modes. */
function shareFolders(root: string): void {
  chmodSync(root, SHARED);
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true }))
    if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), SHARED);
}

/** Gives the files to the user when they belong to another one; only once, not at every start. */
function changeOwner(path: string, user: ServerUser): void {
  const { uid, gid } = ownerOf(user);
  if (process.geteuid?.() !== 0) return;
  chownSync(path, uid, gid);
  const cluster = join(path, 'cluster');
  if (!existsSync(cluster) || ownerOfFolder(cluster) === uid) return;
  // The cluster directory itself is last: until its owner has changed, the next start repeats all of this.
  for (const entry of readdirSync(path, { recursive: true, encoding: 'utf8' })) {
    if (entry !== 'cluster') lchownSync(join(path, entry), uid, gid);
  }
  chownSync(cluster, uid, gid);
}
