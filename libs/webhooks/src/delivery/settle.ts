import { MAX_FAILING_TIME } from '../endpoints/disable.js';

/** The result of one attempt. `status: 'pending'` requires `delayMs`. */
export interface Settlement {
  id: string;
  fence: number;
  /** `atm_…` of the attempt. */
  attemptId: string;
  startedAt: Date;
  status: 'pending' | 'delivered' | 'failed';
  delayMs: number | null;
  lastStatus: number | null;
  lastError: string | null;
  latencyMs: number;
  response: string | null;
}

/** A settlement that was written, and the state of its endpoint before. */
export interface SettledRow {
  id: string;
  webhook_id: string;
  status: Settlement['status'];
  /** The endpoint was failing already. */
  failing: boolean;
  /** The endpoint has been failing for so long that it must be disabled. */
  too_long: boolean;
}

/**
 * $1: the worker, then one array per column of the group. Each attempt becomes a row of `webhook_attempts` and counts in
 * the figures of its endpoint for the hour.
 */
export const SETTLE = `
  WITH written AS (
    UPDATE webhook_deliveries d
       SET status = s.status,
           due_at = now() + make_interval(secs => s.delay),
           claimed_by = NULL,
           attempts = d.attempts + 1,
           last_status = s.last_status, last_error = s.last_error,
           last_latency_ms = s.latency, last_response = s.response,
           updated_at = now()
      FROM unnest($2::text[], $3::int[], $4::text[], $5::timestamptz[], $6::text[], $7::float8[], $8::int[], $9::text[],
                  $10::int[], $11::text[])
           AS s (id, fence, attempt_id, started_at, status, delay, last_status, last_error, latency, response)
     WHERE d.id = s.id AND d.claimed_by = $1 AND d.fence = s.fence
    RETURNING d.id, d.webhook_id, d.status, d.attempts, d.last_status, d.last_error, d.last_latency_ms, d.last_response,
              s.attempt_id, s.started_at),
  attempt AS (
    INSERT INTO webhook_attempts (id, delivery_id, webhook_id, number, status, error, latency_ms, response, started_at)
    SELECT attempt_id, id, webhook_id, attempts, last_status, last_error, last_latency_ms, last_response, started_at
      FROM written),
  figures AS (
    INSERT INTO webhook_hours AS known
      (webhook_id, hour, delivered, failed_attempts, given_up, responses, latency_ms, latency_ms_max)
    SELECT webhook_id, date_trunc('hour', now(), 'UTC'),
           count(*) FILTER (WHERE status = 'delivered'), count(*) FILTER (WHERE status <> 'delivered'),
           count(*) FILTER (WHERE status = 'failed'),
           count(last_status), coalesce(sum(last_latency_ms) FILTER (WHERE last_status IS NOT NULL), 0),
           coalesce(max(last_latency_ms) FILTER (WHERE last_status IS NOT NULL), 0)
      FROM written GROUP BY webhook_id
     -- In one order, which prevents deadlocks between groups.
     ORDER BY webhook_id
    ON CONFLICT (webhook_id, hour) DO UPDATE
      SET delivered = known.delivered + EXCLUDED.delivered,
          failed_attempts = known.failed_attempts + EXCLUDED.failed_attempts,
          given_up = known.given_up + EXCLUDED.given_up,
          responses = known.responses + EXCLUDED.responses,
          latency_ms = known.latency_ms + EXCLUDED.latency_ms,
          latency_ms_max = greatest(known.latency_ms_max, EXCLUDED.latency_ms_max))
  SELECT written.id, written.webhook_id, written.status,
         w.failing_since IS NOT NULL AS failing,
         coalesce(w.failing_since < now() - ${MAX_FAILING_TIME}, false) AS too_long
    FROM written LEFT JOIN webhooks w ON w.id = written.webhook_id`;

export function settleValues(workerId: string, group: readonly Settlement[]): unknown[] {
  // All groups lock rows in the same order, which prevents deadlocks between them.
  const rows = [...group].sort((a, b) => (a.id < b.id ? -1 : 1));
  return [
    workerId,
    rows.map((row) => row.id),
    rows.map((row) => row.fence),
    rows.map((row) => row.attemptId),
    rows.map((row) => row.startedAt),
    rows.map((row) => row.status),
    rows.map((row) => (row.delayMs === null ? null : row.delayMs / 1000)),
    rows.map((row) => row.lastStatus),
    rows.map((row) => row.lastError),
    rows.map((row) => row.latencyMs),
    rows.map((row) => row.response),
  ];
}
