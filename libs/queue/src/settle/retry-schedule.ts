const JITTER = 0.1;
const DEFAULT_FIRST_TRY_AGAIN_MS = 1_000;

/**
 * The time of the next attempt. Delays count from the end of the previous attempt, the last delay repeats, and the
 * jitter is 0 to +10%. A delay requested by the remote server is used if it is longer. The last attempt is at the end
 * of the lifetime; after it there is none, and the result is null. See docs/decisions/027-attempts-and-retries.md.
 */
export function nextAttemptAt(of: {
  scheduleMs: readonly number[];
  attempts: number;
  endedAt: Date;
  expiresAt: Date;
  askedMs?: number;
  random?: number;
}): Date | null {
  if (of.endedAt >= of.expiresAt) return null;
  const step = of.scheduleMs[Math.min(of.attempts, of.scheduleMs.length) - 1] ?? DEFAULT_FIRST_TRY_AGAIN_MS;
  const delay = Math.max(step, of.askedMs ?? 0) * (1 + JITTER * (of.random ?? Math.random()));
  return new Date(Math.min(of.endedAt.getTime() + delay, of.expiresAt.getTime()));
}
