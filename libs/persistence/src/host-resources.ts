import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { totalMemory } from './embedded-postgres/index.js';

/** A disk as the service judges it: for readiness, the operator's pages, `--check-config` and the doctor. */
export interface Disk {
  freeBytes: number;
  totalBytes: number;
  freeInodes: number;
  inodes: number;
  /** The magic number of statfs(2). */
  fileSystem: number;
  level: 'ok' | 'warning' | 'error';
}

const GIB = 1024 ** 3;
/** PostgreSQL stops when it cannot write its WAL, which takes up to 1 GiB by default. */
const ERROR = { bytes: GIB, share: 0.05 };
const WARNING = { bytes: 5 * GIB, share: 0.2 };

/** The disk of a folder, and the memory of this machine or container. @throws if the disk cannot be read */
export async function hostResources(folder: string): Promise<{ disk: Disk; memoryBytes: number }> {
  return { disk: await diskOf(await existingParent(folder)), memoryBytes: totalMemory() };
}

/** The disk of a folder that exists. @throws if it cannot be read */
export async function diskOf(folder: string): Promise<Disk> {
  const { bsize, blocks, bavail, files, ffree, type } = await statfs(folder);
  const [freeBytes, totalBytes] = [bavail * bsize, blocks * bsize];
  const level = levelOf(freeBytes, totalBytes);
  return { freeBytes, totalBytes, freeInodes: ffree, inodes: files, fileSystem: type, level };
}

function levelOf(free: number, total: number): Disk['level'] {
  const isBelow = ({ bytes, share }: typeof ERROR) => free < bytes || (total > 0 && free / total < share);
  return isBelow(ERROR) ? 'error' : isBelow(WARNING) ? 'warning' : 'ok';
}

/** The path itself, or its nearest parent that exists: a new data directory is on the same disk. */
async function existingParent(path: string): Promise<string> {
  const exists = await stat(path).then(
    () => true,
    () => false,
  );
  return exists || dirname(path) === path ? path : existingParent(dirname(path));
}
