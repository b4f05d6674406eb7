import { existsSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Its supervisor may be about to stop it. */
const GRACE_MS = 1_000;
const FAST_SHUTDOWN_MS = 10_000;
const IMMEDIATE_SHUTDOWN_MS = 8_000;

/**
 * Stops a server of this cluster that an earlier process left behind. It is never reused: its settings and clients are
 * unknown. It may stop by itself; then SIGINT (fast shutdown: closes connections and writes a checkpoint), then SIGQUIT
 * (immediate shutdown: the next start recovers from the WAL).
 */
export async function stopStaleServer(cluster: string, log: (event: string, fields?: object) => void): Promise<void> {
  const pid = runningServer(cluster);
  if (pid === null) return;
  log('waiting for an earlier PostgreSQL of this data directory to stop', { pid });
  if (await isGone(cluster, GRACE_MS)) return;
  if (!isStopping(cluster)) signalServer(cluster, 'SIGINT');
  if (await isGone(cluster, FAST_SHUTDOWN_MS - GRACE_MS)) return;
  log('stopping the earlier PostgreSQL by an immediate shutdown', { pid });
  signalServer(cluster, 'SIGQUIT');
  if (await isGone(cluster, IMMEDIATE_SHUTDOWN_MS)) return;
  throw new Error(`An earlier PostgreSQL of this data directory does not stop: process ${pid}.`);
}

/**
 * The process id of a running server of this cluster, otherwise null. The working directory of a server is its cluster,
 * which distinguishes it from another process that got its id after a crash.
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

export function signalServer(cluster: string, name: NodeJS.Signals): void {
  const pid = runningServer(cluster);
  if (pid === null) return;
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function isGone(cluster: string, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (runningServer(cluster) !== null) {
    if (performance.now() >= deadline) return false;
    await sleep(50);
  }
  return true;
}

function isStopping(cluster: string): boolean {
  return pidFileLines(cluster)[7]?.trim() === 'stopping';
}

/** Lines: process id, data directory, start time, port, socket directory, address, shared memory key, status. */
function pidFileLines(cluster: string): string[] {
  const file = join(cluster, 'postmaster.pid');
  try {
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  } catch {
    return [];
  }
}
