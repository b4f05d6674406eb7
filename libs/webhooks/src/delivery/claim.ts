import type { PayloadFormat } from '../fan-out/payload-format.js';
import { WINDOW } from './window.js';

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
  /** Requests in flight that the endpoint may have, over all workers. */
  window: number;
  /** Requests in flight to the endpoint after this claim, over all workers, this one included. */
  inFlight: number;
}

/** A row of `CLAIM_JOBS`. The columns of a job are NULL in the one row of a claim that found nothing. */
export interface ClaimedRow {
  id: string | null;
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
  size: number;
  in_flight: number;
  /** Deliveries of the endpoint that the claim considered, and how many it could have. */
  considered: number;
  room: number;
  /** Endpoints visited, and the last of them. */
  steps: number | null;
  reached: string | null;
}

export function toJob(row: ClaimedRow): WebhookJob {
  return {
    id: row.id as string,
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
    window: row.size,
    inFlight: row.in_flight,
  };
}

/** Deliveries marked as due by one statement. */
const MARK_BATCH = 1_000;
/** Endpoints visited by one claim: enough to fill the free slots with one delivery of each, within bounds. */
export const endpointsPerClaim = (free: number): number => Math.min(200, Math.max(20, free));
const IS_DUE = 'due_at IS NOT NULL AND claimed_by IS NULL AND is_due';

/** Marks deliveries whose due time has come, so that the index by endpoint contains them. */
export const MARK_DUE = `
  WITH due AS (
    SELECT id FROM webhook_deliveries
     WHERE due_at <= now() AND claimed_by IS NULL AND is_due IS NULL
     ORDER BY due_at LIMIT ${MARK_BATCH} FOR UPDATE SKIP LOCKED)
  UPDATE webhook_deliveries d SET is_due = true FROM due WHERE d.id = due.id`;

/** A loose index scan: one index look-up per endpoint with due deliveries. */
function walk(from: string, steps: string): string {
  const next = (behind: string) =>
    `SELECT d.webhook_id FROM webhook_deliveries d WHERE d.webhook_id > ${behind} AND ${IS_DUE} ORDER BY d.webhook_id LIMIT 1`;
  return `walk AS (
      (SELECT first.webhook_id, 1 AS step FROM (${next(from)}) AS first)
    UNION ALL
      SELECT following.webhook_id, walk.step + 1 FROM walk CROSS JOIN LATERAL (${next('walk.webhook_id')}) AS following
       WHERE walk.step < ${steps})`;
}

/**
 * $1: free slots of this process, $2: the worker, $3: the endpoint after which the claim starts, $4: requests in flight of
 * this process by endpoint, as JSON, $5: endpoints to visit.
 *
 * An endpoint has room up to its window, over all workers, and in this process for a third of the free slots beyond what
 * it holds: `place` counts slots in the order in which they are given, the first of each endpoint before the second of
 * any, and the condition on it leaves free slots to endpoints that have none, however many endpoints are slow.
 */
export const CLAIM_JOBS = `
  WITH RECURSIVE ${walk('$3', '$5::int')},
  -- One JSON object instead of rows, so that a look-up costs the same whatever the planner expects.
  busy AS MATERIALIZED (
    SELECT coalesce(jsonb_object_agg(webhook_id, calls), '{}') AS by_endpoint
      FROM (SELECT webhook_id, count(*) AS calls FROM webhook_deliveries WHERE claimed_by IS NOT NULL GROUP BY webhook_id) AS c),
  endpoint AS (
    SELECT w.id, state.size, state.calls, state.held,
           least(state.size - state.calls, ($1::int - 2 * state.held + 2) / 3) AS room
      FROM walk
      JOIN webhooks w ON w.id = walk.webhook_id AND w.status = 'enabled'
      LEFT JOIN webhook_windows p ON p.webhook_id = w.id
     CROSS JOIN busy
     CROSS JOIN LATERAL (
       SELECT coalesce(p.size, ${WINDOW.minimum})::int AS size, coalesce((busy.by_endpoint ->> w.id)::int, 0) AS calls,
              coalesce(($4::jsonb ->> w.id)::int, 0) AS held) AS state
     WHERE p.paused_until IS NULL OR p.paused_until <= now()),
  candidate AS (
    SELECT head.id, head.due_at, e.size, e.room, head.considered,
           e.calls + head.number AS in_flight, e.held + head.number - 1 AS rank
      FROM endpoint e
     CROSS JOIN LATERAL (
       SELECT oldest.id, oldest.due_at, (row_number() OVER (ORDER BY oldest.due_at))::int AS number,
              (count(*) OVER ())::int AS considered
         FROM (SELECT d.id, d.due_at FROM webhook_deliveries d
                WHERE d.webhook_id = e.id AND ${IS_DUE} AND d.due_at <= now()
                ORDER BY d.due_at LIMIT greatest(0, e.room)) AS oldest) AS head),
  placed AS (
    SELECT candidate.*, row_number() OVER (ORDER BY rank, due_at) AS place FROM candidate),
  locked AS (
    SELECT l.id, p.size, p.room, p.considered, p.in_flight
      FROM placed p
     CROSS JOIN LATERAL (
       -- Not as the index on due deliveries has it: by statistics from a time without any, the planner would scan that.
       SELECT d.id FROM webhook_deliveries d
        WHERE d.id = p.id AND d.claimed_by IS NULL AND coalesce(d.is_due, false) FOR UPDATE SKIP LOCKED) AS l
     WHERE 2 * p.rank + p.place <= $1::int
     -- With a limit the planner expects few rows and looks them up by their id.
     LIMIT $1::int),
  claimed AS (
    UPDATE webhook_deliveries d SET claimed_by = $2, fence = d.fence + 1, is_due = NULL
      FROM locked l WHERE d.id = l.id
    RETURNING d.id, d.webhook_id, d.account_id, d.event_id, d.sequence, d.body, d.attempts, d.attempts_before_replay, d.fence,
              l.size, l.room, l.considered, l.in_flight),
  walked AS (SELECT max(webhook_id) AS reached, max(step) AS steps FROM walk)
  SELECT walked.reached, walked.steps, job.*
    FROM walked LEFT JOIN (
      SELECT c.*, w.url, w.payload_format, w.secret_sealed,
             CASE WHEN w.previous_secret_until > now() THEN w.previous_secret_sealed END AS previous_secret_sealed
        FROM claimed c JOIN webhooks w ON w.id = c.webhook_id) AS job ON true`;

/** Age in seconds of the oldest delivery that is due and unclaimed, among the first thousand endpoints. */
export const OLDEST_DUE = `
  WITH RECURSIVE ${walk("''", '1000')},
  oldest AS (
      SELECT (SELECT d.due_at FROM webhook_deliveries d
               WHERE d.webhook_id = walk.webhook_id AND ${IS_DUE} ORDER BY d.due_at LIMIT 1) AS due_at FROM walk
    UNION ALL
      (SELECT due_at FROM webhook_deliveries
        WHERE due_at IS NOT NULL AND claimed_by IS NULL AND is_due IS NULL ORDER BY due_at LIMIT 1))
  SELECT greatest(0, extract(epoch FROM now() - min(due_at)))::float AS seconds FROM oldest`;

/** `lag` of one endpoint: when its oldest due delivery became due. */
export const OLDEST_DUE_OF = `
  SELECT d.due_at FROM webhook_deliveries d WHERE d.webhook_id = $1 AND ${IS_DUE} ORDER BY d.due_at LIMIT 1`;
