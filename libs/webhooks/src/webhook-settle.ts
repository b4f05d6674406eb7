import { FAILING_TOO_LONG } from './webhook-disable.js';

/** What one attempt left behind. `status: 'pending'` needs `delayMs`. */
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
  answer: string | null;
}

/** A settlement that was written: whose it was, and how that endpoint had been doing until then. */
export interface SettledRow {
  id: string;
  webhook_id: string;
  status: Settlement['status'];
  /** It had been failing before. */
  failing: boolean;
  /** It has been failing for so long that it is to be disabled. */
  too_long: boolean;
}

/** `$1` the worker, then one array per column of the group. Each attempt becomes a row of its own. */
export const SETTLE = `
  WITH written AS (
    UPDATE webhook_deliveries d
       SET status = s.status,
           due_at = now() + make_interval(secs => s.delay),
           claimed_by = NULL,
           attempts = d.attempts + 1,
           last_status = s.last_status, last_error = s.last_error,
           last_latency_ms = s.latency, last_answer = s.answer,
           updated_at = now()
      FROM unnest($2::text[], $3::int[], $4::text[], $5::timestamptz[], $6::text[], $7::float8[], $8::int[], $9::text[],
                  $10::int[], $11::text[])
           AS s (id, fence, attempt_id, started_at, status, delay, last_status, last_error, latency, answer)
     WHERE d.id = s.id AND d.claimed_by = $1 AND d.fence = s.fence
    RETURNING d.id, d.webhook_id, d.status, d.attempts, d.last_status, d.last_error, d.last_latency_ms, d.last_answer,
              s.attempt_id, s.started_at),
  attempt AS (
    INSERT INTO webhook_attempts (id, delivery_id, webhook_id, number, status, error, latency_ms, answer, started_at)
    SELECT attempt_id, id, webhook_id, attempts, last_status, last_error, last_latency_ms, last_answer, started_at
      FROM written)
  SELECT written.id, written.webhook_id, written.status,
         w.failing_since IS NOT NULL AS failing,
         coalesce(w.failing_since < now() - ${FAILING_TOO_LONG}, false) AS too_long
    FROM written LEFT JOIN webhooks w ON w.id = written.webhook_id`;

export function settleValues(workerId: string, group: readonly Settlement[]): unknown[] {
  // Rows are locked in one order by everybody, which is what keeps groups from blocking each other.
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
    rows.map((row) => row.answer),
  ];
}

/** Endpoints that begin to fail, and those that have recovered: one success in a group outweighs all its failures. */
export function turnsOf(rows: readonly SettledRow[]): { failing: string[]; recovered: string[] } {
  const well = new Set(rows.filter(({ status }) => status === 'delivered').map((row) => row.webhook_id));
  const changed = (failing: boolean) =>
    rows.filter((row) => row.failing === failing && well.has(row.webhook_id) === failing).map((row) => row.webhook_id);
  return { failing: [...new Set(changed(false))].sort(), recovered: [...new Set(changed(true))].sort() };
}
