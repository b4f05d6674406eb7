import type { RequestResult } from './http-client.js';
import { databaseClock } from '#libs/kernel';

/** The consequence of an attempt for its delivery. `delayMs` counts from the end of the attempt. */
export type AttemptOutcome =
  | { kind: 'delivered' }
  | { kind: 'retry'; delayMs: number }
  | { kind: 'failed' }
  | { kind: 'endpoint_gone' };

const RETRY_AFTER_LIMIT_MS = 24 * 3600 * 1000;
/** Published as ±10%; the rest is left for the time that a due delivery waits to be claimed. */
const JITTER = 0.08;

/**
 * `attempt` is the number of the attempt that just ended, from 1; a schedule of n delays means n + 1 attempts.
 * `retry-after` may lengthen a delay but never shorten it, because the total length of the schedule is what bridges a long
 * outage.
 */
export function attemptOutcome(
  result: RequestResult,
  { attempt, schedule, random = Math.random }: { attempt: number; schedule: readonly number[]; random?: () => number },
): AttemptOutcome {
  if (result.kind === 'response') {
    if (result.status >= 200 && result.status < 300) return { kind: 'delivered' };
    if (result.status === 410) return { kind: 'endpoint_gone' };
  }
  const delay = schedule[attempt - 1];
  if (delay === undefined) return { kind: 'failed' };
  const jittered = delay * (1 - JITTER + 2 * JITTER * random());
  return { kind: 'retry', delayMs: Math.round(Math.max(jittered, requestedDelay(result))) };
}

/** The `retry-after` of a 429 or 503 in ms; 0 without one. */
export function requestedDelay(result: RequestResult): number {
  if (result.kind !== 'response' || (result.status !== 429 && result.status !== 503)) return 0;
  return Math.min(retryAfterMs(result.retryAfter, databaseClock.now()), RETRY_AFTER_LIMIT_MS);
}

/** RFC 9110 §10.2.3: whole seconds or an HTTP date. 0 when absent, in the past or invalid. */
export function retryAfterMs(header: string | undefined, now: number): number {
  const value = header?.trim() ?? '';
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  // Date.parse accepts far more than HTTP dates, all three forms of which begin with the name of a day.
  if (!/^(mon|tue|wed|thu|fri|sat|sun)/i.test(value)) return 0;
  const at = Date.parse(value);
  return Number.isNaN(at) ? 0 : Math.max(0, at - now);
}
