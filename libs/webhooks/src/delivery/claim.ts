import type { PayloadFormat } from '../fan-out/payload-format.js';

/** One due delivery with everything that its request needs. */
export interface WebhookJob {
  id: string;
  webhookId: string;
  accountId: string;
  eventId: string;
  sequence: number;
  body: string;
  /** Attempts that ended before this one. */
  attempts: number;
  /** Those before the last replay: the retry schedule starts after them. */
  attemptsBeforeReplay: number;
  fence: number;
  url: string;
  payloadFormat: PayloadFormat;
  secretSealed: Buffer;
  /** The secret before the last rotation, while it is valid. */
  previousSecretSealed: Buffer | null;
}

/** A row of `CLAIM_JOBS`. */
export interface ClaimedRow {
  id: string;
  webhook_id: string;
  account_id: string;
  event_id: string;
  sequence: number;
  body: string;
  attempts: number;
  attempts_before_replay: number;
  fence: number;
  url: string;
  payload_format: PayloadFormat;
  secret_sealed: Buffer;
  previous_secret_sealed: Buffer | null;
}

export function toJob(row: ClaimedRow): WebhookJob {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    accountId: row.account_id,
    eventId: row.event_id,
    sequence: row.sequence,
    body: row.body,
    attempts: row.attempts,
    attemptsBeforeReplay: row.attempts_before_replay,
    fence: row.fence,
    url: row.url,
    payloadFormat: row.payload_format,
    secretSealed: row.secret_sealed,
    previousSecretSealed: row.previous_secret_sealed,
  };
}

const UNCLAIMED = 'due_at IS NOT NULL AND claimed_by IS NULL';

/**
 * $1: jobs in total, $2: requests in flight per endpoint, $3: the worker. Steps from endpoint to endpoint in the index, so
 * that the backlog of one does not slow down the claim for the others. The limit of an endpoint stands below the window
 * function: above it, the whole backlog would be read each time.
 */
export const CLAIM_JOBS = `
  WITH RECURSIVE endpoint (id) AS (
      (SELECT webhook_id FROM webhook_deliveries WHERE ${UNCLAIMED} ORDER BY webhook_id LIMIT 1)
    UNION ALL
      SELECT (SELECT d.webhook_id FROM webhook_deliveries d
               WHERE ${UNCLAIMED} AND d.webhook_id > e.id ORDER BY d.webhook_id LIMIT 1)
        FROM endpoint e WHERE e.id IS NOT NULL),
  busy AS (
    SELECT webhook_id, count(*)::int AS calls FROM webhook_deliveries WHERE claimed_by IS NOT NULL GROUP BY webhook_id),
  candidate AS (
    SELECT waiting.id, w.id AS webhook_id
      FROM endpoint e
      JOIN webhooks w ON w.id = e.id AND w.status = 'enabled'
      LEFT JOIN busy b ON b.webhook_id = e.id
     CROSS JOIN LATERAL (
       SELECT head.id, head.due_at, coalesce(b.calls, 0) + row_number() OVER (ORDER BY head.due_at) AS rank
         FROM (SELECT d.id, d.due_at FROM webhook_deliveries d
                WHERE d.webhook_id = e.id AND ${UNCLAIMED} AND d.due_at <= now()
                ORDER BY d.due_at
                LIMIT greatest(0, $2::int - coalesce(b.calls, 0))) head) waiting
     ORDER BY waiting.rank, waiting.due_at
     LIMIT $1::int),
  locked AS (
    SELECT d.id, c.webhook_id
      FROM webhook_deliveries d JOIN candidate c ON c.id = d.id
     WHERE ${UNCLAIMED}
       FOR UPDATE OF d SKIP LOCKED)
  UPDATE webhook_deliveries d SET claimed_by = $3, fence = d.fence + 1
    FROM locked l JOIN webhooks w ON w.id = l.webhook_id
   WHERE d.id = l.id
  RETURNING d.id, d.webhook_id, d.account_id, d.event_id, d.sequence, d.body, d.attempts, d.attempts_before_replay, d.fence,
            w.url, w.payload_format, w.secret_sealed,
            CASE WHEN w.previous_secret_until > now() THEN w.previous_secret_sealed END AS previous_secret_sealed`;
