import { existsSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A server that nobody stops is given this long, since its guard may be about to. */
const UNTOUCHED_MS = 1_000;
const FAST_MS = 10_000;
const IMMEDIATE_MS = 8_000;

/**
 * Ends a server of this cluster that an earlier process left behind. It is never adopted: nothing is known about who else
 * uses it or with which settings it runs. First it may stop by itself, then SIGINT (connections are cut, everything is
 * written), then SIGQUIT (ends at once; the next start recovers from the log).
 */
export async function endPreviousServer(cluster: string, log: (event: string, fields?: object) => void): Promise<void> {
  const pid = runningServer(cluster);
  if (pid === null) return;
  log('waiting for an earlier PostgreSQL of this data directory to stop', { pid });
  if (await gone(cluster, UNTOUCHED_MS)) return;
  if (!isStopping(cluster)) signal(cluster, 'SIGINT');
  if (await gone(cluster, FAST_MS - UNTOUCHED_MS)) return;
  log('stopping the earlier PostgreSQL at once', { pid });
  signal(cluster, 'SIGQUIT');
  if (await gone(cluster, IMMEDIATE_MS)) return;
  throw new Error(`An earlier PostgreSQL of this data directory does not stop: process ${pid}.`);
}

/**
 * The process id of a living server of exactly this cluster, else null. A server's working directory is its cluster, which
 * tells it from a stranger that got its process id after a crash.
 */
export function runningServer(cluster: string): number | null {
  const pid = Number(pidFileLines(cluster)[0]);
  if (!Number.isSafeInteger(pid) || pid <= 1) return null;
  try {
    const program = basename(readlinkSync(`/proc/${pid}/exe`)).replace(' (deleted)', '');
    return program === 'postgres' && readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster) ? pid : null;
  } catch {
    return null; // ended, or another user's process
  }
}

export function signal(cluster: string, name: NodeJS.Signals): void {
  const pid = runningServer(cluster);
  if (pid === null) return;
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function gone(cluster: string, withinMs: number): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  while (runningServer(cluster) !== null) {
    if (Date.now() >= deadline) return false;
    await sleep(50);
  }
  return true;
}

function isStopping(cluster: string): boolean {
  return pidFileLines(cluster)[7]?.trim() === 'stopping';
}

/** Lines: process id, data directory, start time, port, socket folder, address, shared memory, status. */
function pidFileLines(cluster: string): string[] {
  const file = join(cluster, 'postmaster.pid');
  try {
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  } catch {
    return [];
  }
}
