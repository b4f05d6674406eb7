import { spawnSync } from 'node:child_process';
import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createDataDir } from './data-dir-modes.js';

export interface DataDirLock {
  release(): void;
}

interface Holder {
  pid: number;
  /** In ticks since boot, from /proc: distinguishes the holder from another process with the same id. */
  startedAt: string;
}

/**
 * Locks `dataDir` for this process, and creates it when it is missing.
 *
 * The lock is flock(2) on `dataDir/lock`. Node.js has no call for it, so the program `flock` locks an open file of this
 * process, which it inherits. The lock belongs to the open file: the kernel releases it when this process ends in any way,
 * including `kill -9`, so it is never stale. The content of the file only names the holder.
 *
 * @throws Error with one sentence for the operator when another process holds the lock, or `dataDir` cannot be written
 */
export async function acquireDataDir(dataDir: string): Promise<DataDirLock> {
  const file = openLockFile(dataDir);
  const holder = readHolder(dataDir);
  const outcome = flock(file);
  const taken = outcome === 'unavailable' ? holder !== null && isAlive(holder) : outcome === 'held';
  if (taken) {
    closeSync(file);
    const name = holder === null ? 'another process' : `process ${holder.pid}`;
    throw new Error(`Postloft is already running as ${name} on the data directory ${dataDir}.`);
  }
  ftruncateSync(file);
  writeSync(file, `${process.pid} ${startTime(process.pid) ?? '0'}\n`, 0);
  return {
    release: () => {
      ftruncateSync(file);
      closeSync(file);
    },
  };
}

function openLockFile(dataDir: string): number {
  try {
    createDataDir(dataDir);
    return openSync(join(dataDir, 'lock'), 'a+', 0o644);
  } catch (error) {
    throw new Error(`The data directory ${dataDir} cannot be written: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}

/** util-linux and busybox exit with 1 when another process holds the lock. */
function flock(file: number): 'acquired' | 'held' | 'unavailable' {
  const { status, error } = spawnSync('flock', ['-n', '3'], { stdio: ['ignore', 'ignore', 'ignore', file] });
  if (error !== undefined || (status !== 0 && status !== 1)) return 'unavailable';
  return status === 0 ? 'acquired' : 'held';
}

function readHolder(dataDir: string): Holder | null {
  const match = /^(\d+) (\d+)$/m.exec(readFileSync(join(dataDir, 'lock'), 'utf8'));
  return match === null ? null : { pid: Number(match[1]), startedAt: match[2] };
}

function isAlive(holder: Holder): boolean {
  return holder.pid !== process.pid && startTime(holder.pid) === holder.startedAt;
}

/** Field 22 of /proc/<pid>/stat. Field 2, the command, may contain spaces and parentheses, so fields count from its end. */
function startTime(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}
