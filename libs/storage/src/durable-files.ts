import { mkdir, open, rename, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A new file whose name survives a crash, in a folder that may be new as well. */
export async function createDurably(path: string): Promise<FileHandle> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const handle = await open(path, 'wx', 0o600);
  await syncFolder(folder);
  await syncFolder(dirname(folder));
  return handle;
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** `writev` may write less than asked, on a full disk for example; the next call then says why. */
export async function writeAll(handle: FileHandle, bodies: readonly Buffer[], position: number): Promise<void> {
  let [at, left] = [position, bodies.filter((body) => body.length > 0)];
  while (left.length > 0) {
    let { bytesWritten } = await handle.writev(left, at);
    if (bytesWritten === 0) throw new Error('the file system wrote nothing');
    at += bytesWritten;
    const rest = left.findIndex((body) => {
      if (bytesWritten < body.length) return true;
      bytesWritten -= body.length;
      return false;
    });
    left = rest === -1 ? [] : [left[rest].subarray(bytesWritten), ...left.slice(rest + 1)];
  }
}

/** A complete file, which appears under its name when it survives a crash. */
export async function writeDurably(path: string, bodies: readonly Buffer[]): Promise<void> {
  const unfinished = `${path}${UNFINISHED}`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const handle = await open(unfinished, 'wx', 0o600);
  try {
    await writeAll(handle, bodies, 0);
    await handle.datasync();
  } finally {
    await handle.close();
  }
  await rename(unfinished, path);
  await syncFolder(dirname(path));
}

/** The end of the name of a file that is being written. */
export const UNFINISHED = '.new';
