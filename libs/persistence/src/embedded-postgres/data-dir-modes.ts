import { chmodSync, statSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Only its owner enters the directory. */
const PRIVATE = 0o700;
/** Others may pass through to a folder of theirs, but list nothing. */
const PASSABLE = 0o711;
const PRIVATE_FILE = 0o600;
const PERMISSION_BITS = 0o777;
/** The master key, the address of the database with its password, and private keys of certificates. */
const SECRET_FILES = /^(master-key|database-url)|key\.pem$/;

const isRoot = (): boolean => process.geteuid?.() === 0;

/**
 * Creates DATA_DIR unless it exists. When root creates it, the user that runs the database can pass through, until
 * `restrictDataDir` knows that this is not needed.
 */
export function createDataDir(dataDir: string): void {
  const first = mkdirSync(dataDir, { recursive: true, mode: PRIVATE });
  if (first === undefined || !isRoot()) return;
  const outermost = resolve(first);
  for (let path = resolve(dataDir); path.startsWith(outermost); path = dirname(path)) chmodSync(path, PASSABLE);
}

/**
 * Takes DATA_DIR, its folders and its secret files from other users: an earlier version, an administrator or a backup may have
 * left them readable. Never gives a permission. What another user owns is left alone unless root runs this.
 * @param isPassable another user runs the database and must pass through DATA_DIR
 */
export function restrictDataDir(dataDir: string, { isPassable }: { isPassable: boolean }): void {
  restrict(dataDir, isPassable ? PASSABLE : PRIVATE);
  for (const entry of readdirSync(dataDir, { withFileTypes: true })) {
    const path = join(dataDir, entry.name);
    if (entry.isDirectory()) restrict(path, PRIVATE);
    else if (entry.isFile() && SECRET_FILES.test(entry.name)) restrict(path, PRIVATE_FILE);
  }
}

function restrict(path: string, mode: number): void {
  const { mode: present, uid } = statSync(path);
  const permissions = present & PERMISSION_BITS;
  if ((permissions & ~mode) === 0 || (!isRoot() && uid !== process.geteuid?.())) return;
  chmodSync(path, permissions & mode);
}
