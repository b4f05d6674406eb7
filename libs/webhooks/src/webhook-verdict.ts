import type { PostResult } from './webhook-post.js';

/** What an attempt means for its delivery; `delayMs` counts from the end of the attempt. */
export type WebhookVerdict =
  { kind: 'delivered' } | { kind: 'retry'; delayMs: number } | { kind: 'failed' } | { kind: 'endpoint_gone' };

const RETRY_AFTER_LIMIT_MS = 24 * 3600 * 1000;
/** Published is ±10 %; the rest is left to the time that a due delivery waits for its turn. */
const JITTER = 0.08;

/**
 * The ladder of D-38. `attempt` is the number of the attempt that just ended, from 1; a schedule of n delays means n + 1
 * attempts. A `retry-after` may lengthen a delay but never shorten it: the ladder's length is what bridges a long outage.
 */
export function webhookVerdict(
  result: PostResult,
  ladder: { attempt: number; schedule: readonly number[]; random?: () => number },
): WebhookVerdict {
  if (result.kind === 'answered') {
    if (result.status >= 200 && result.status < 300) return { kind: 'delivered' };
    if (result.status === 410) return { kind: 'endpoint_gone' };
  }
  const step = ladder.schedule[ladder.attempt - 1];
  if (step === undefined) return { kind: 'failed' };
  const random = ladder.random ?? Math.random;
  const jittered = step * (1 - JITTER + 2 * JITTER * random());
  return { kind: 'retry', delayMs: Math.round(Math.max(jittered, askedFor(result))) };
}

function askedFor(result: PostResult): number {
  if (result.kind !== 'answered' || (result.status !== 429 && result.status !== 503)) return 0;
  return Math.min(retryAfterMs(result.retryAfter, Date.now()), RETRY_AFTER_LIMIT_MS);
}

/** RFC 9110 §10.2.3: whole seconds, or an HTTP date; 0 when absent, past or unreadable. */
export function retryAfterMs(header: string | undefined, now: number): number {
  const value = header?.trim() ?? '';
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  // Date.parse reads far more than HTTP dates; all three forms of those begin with the name of a day.
  if (!/^(mon|tue|wed|thu|fri|sat|sun)/i.test(value)) return 0;
  const at = Date.parse(value);
  return Number.isNaN(at) ? 0 : Math.max(0, at - now);
}
