import { requestedDelay } from './attempt-outcome.js';
import type { RequestResult } from './http-client.js';

/** Requests in flight that one endpoint may have, over all processes. */
export const WINDOW = { minimum: 10, maximum: 100 } as const;
/** How long an endpoint that asks for a pause gets no request at all. The delivery that was refused waits as long as asked. */
const LONGEST_PAUSE_MS = 60_000;

/** What an answer says about the number of requests that the endpoint can take at once. */
export type WindowChange = { kind: 'grow' } | { kind: 'shrink'; pauseMs: number } | null;

/**
 * One more request in flight for each prompt success while at least half of the window is in use: the window doubles per
 * round trip. Time-outs, lost connections, 5xx and 429 halve it. Other answers, such as 404, come from an endpoint that
 * keeps up, and change nothing.
 */
export function windowChange(
  result: RequestResult,
  { window, inFlight, promptMs }: { window: number; inFlight: number; promptMs: number },
): WindowChange {
  if (isOverload(result)) {
    const pauseMs = Math.min(requestedDelay(result), LONGEST_PAUSE_MS);
    return window > WINDOW.minimum || pauseMs > 0 ? { kind: 'shrink', pauseMs } : null;
  }
  const isUsed = inFlight * 2 > window;
  return isUsed && window < WINDOW.maximum && isPromptSuccess(result, promptMs) ? { kind: 'grow' } : null;
}

function isOverload(result: RequestResult): boolean {
  if (result.kind === 'response') return result.status === 429 || result.status >= 500;
  return result.failure !== 'interrupted' && result.failure !== 'secret_unreadable';
}

function isPromptSuccess(result: RequestResult, promptMs: number): boolean {
  return result.kind === 'response' && result.status >= 200 && result.status < 300 && result.latencyMs <= promptMs;
}

/** $1: the endpoint, $2: requests to add. */
export const GROW_WINDOW = `
  INSERT INTO webhook_windows AS known (webhook_id, size)
  SELECT id, least(${WINDOW.maximum}, ${WINDOW.minimum} + $2::int) FROM webhooks WHERE id = $1
  ON CONFLICT (webhook_id) DO UPDATE SET size = least(${WINDOW.maximum}, known.size + $2::int)`;

/**
 * $1: the endpoint, $2: when the failed attempt began, $3: the requested pause in ms. All attempts of one round fail
 * together, so that only those which began after the last change halve the window.
 */
export const SHRINK_WINDOW = `
  INSERT INTO webhook_windows AS known (webhook_id, size, paused_until, shrunk_at)
  SELECT id, ${WINDOW.minimum}, CASE WHEN $3::float8 > 0 THEN now() + make_interval(secs => $3::float8 / 1000) END, now()
    FROM webhooks WHERE id = $1
  ON CONFLICT (webhook_id) DO UPDATE
    SET size = CASE WHEN known.shrunk_at IS NULL OR known.shrunk_at < $2
                    THEN greatest(${WINDOW.minimum}, known.size / 2) ELSE known.size END,
        shrunk_at = CASE WHEN known.shrunk_at IS NULL OR known.shrunk_at < $2 THEN now() ELSE known.shrunk_at END,
        paused_until = greatest(known.paused_until, EXCLUDED.paused_until)`;
