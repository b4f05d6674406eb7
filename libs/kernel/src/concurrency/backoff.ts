import { setTimeout as delay } from 'node:timers/promises';

const DELAYS_MS = [100, 250, 500, 1_000, 2_000, 5_000];

/**
 * Delay in milliseconds after that many consecutive failures of one of our own engines; the last one repeats. Retries of
 * messages and webhook calls follow the schedules of the settings instead.
 */
export function backoffMs(failures: number): number {
  return DELAYS_MS[Math.min(Math.max(failures, 1), DELAYS_MS.length) - 1];
}

/** Resolves after `ms`, or as soon as `signal` aborts. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, { signal });
  } catch {
    // Aborted.
  }
}
