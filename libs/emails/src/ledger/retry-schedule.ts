const JITTER = 0.1;
const DEFAULT_FIRST_TRY_AGAIN_MS = 1_000;

/**
 * When a recipient is tried again. Delays count from the end of the attempt, the last one repeats, jitter is 0 to +10 %
 * (details §10). A remote that says "try again in N" is believed when N is longer. The last attempt falls on the end of
 * the lifetime; after it there is none: null.
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
