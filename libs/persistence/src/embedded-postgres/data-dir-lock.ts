import { spawnSync } from 'node:child_process';
import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export interface DataDirLock {
  release(): void;
}

interface Holder {
  pid: number;
  /** Ticks since boot, from /proc: tells a living holder from a stranger that got the same process id. */
  startedAt: string;
}

/**
 * Makes `dataDir` ours alone, and makes the folder when it is missing.
 *
 * The lock is flock(2) on `dataDir/lock`. Node.js cannot ask for it, so the program `flock` does, on our own open file,
 * which it inherits: the lock then belongs to that open file and the kernel drops it when this process ends in any way,
 * `kill -9` included. Nothing stale can stay, and no two starters can both win. The file's text only names the holder.
 *
 * @throws Error with one sentence for the operator when another process holds it, or the folder cannot be written.
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
    mkdirSync(dataDir, { recursive: true });
    return openSync(join(dataDir, 'lock'), 'a+', 0o644);
  } catch (error) {
    throw new Error(`The data directory ${dataDir} cannot be written: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}

/** util-linux and busybox exit with 1 when the lock is held by someone else. */
function flock(file: number): 'got' | 'held' | 'unavailable' {
  const { status, error } = spawnSync('flock', ['-n', '3'], { stdio: ['ignore', 'ignore', 'ignore', file] });
  if (error !== undefined || (status !== 0 && status !== 1)) return 'unavailable';
  return status === 0 ? 'got' : 'held';
}

function readHolder(dataDir: string): Holder | null {
  const match = /^(\d+) (\d+)$/m.exec(readFileSync(join(dataDir, 'lock'), 'utf8'));
  return match === null ? null : { pid: Number(match[1]), startedAt: match[2] };
}

function isAlive(holder: Holder): boolean {
  return holder.pid !== process.pid && startTime(holder.pid) === holder.startedAt;
}

/** Field 22 of /proc/<pid>/stat; the command in field 2 may hold spaces and brackets, so count from its end. */
function startTime(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}
