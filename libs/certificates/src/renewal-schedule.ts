const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const RENEW_BEFORE_MS = 30 * DAY_MS;
/**
 * Let's Encrypt permits five failed validations per account, host and hour, and five certificates per set of hosts and week.
 * The last delay repeats.
 */
const RETRY_MS = [0.25 * HOUR_MS, HOUR_MS, 3 * HOUR_MS, 6 * HOUR_MS, 12 * HOUR_MS, DAY_MS];

/** When a certificate is renewed: 30 days before its end, and in the last third of the life of a shorter-lived one. */
export function renewalTime({ validFrom, validTo }: { validFrom: Date; validTo: Date }): Date {
  const lifetime = validTo.getTime() - validFrom.getTime();
  return new Date(validTo.getTime() - Math.min(RENEW_BEFORE_MS, lifetime / 3));
}

/** Delay in milliseconds after that many consecutive failures; at least `retryAfterMs`, which the authority asks for. */
export function retryDelay(failures: number, retryAfterMs = 0): number {
  const delay = RETRY_MS[Math.min(Math.max(failures, 1), RETRY_MS.length) - 1];
  return Math.max(delay, Math.min(retryAfterMs, 7 * DAY_MS));
}
