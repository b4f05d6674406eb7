import { Injectable } from '@nestjs/common';
import { Database, freeDeadClaims, isRetryable, Worker } from '#libs/persistence';

/** One due delivery together with what its call needs. */
export interface WebhookJob {
  id: string;
  webhookId: string;
  accountId: string;
  eventId: string;
  sequence: number;
  body: string;
  /** Attempts that ended before this one. */
  attempts: number;
  fence: number;
  url: string;
  secretSealed: Buffer;
}

/** What one attempt left behind. `status: 'pending'` needs `delayMs`. */
export interface Settlement {
  id: string;
  fence: number;
  status: 'pending' | 'delivered' | 'failed';
  delayMs: number | null;
  lastStatus: number | null;
  lastError: string | null;
  latencyMs: number;
  answer: string | null;
}

/**
 * The deliveries that are due, as rows. A claim names the worker and carries a fence; whatever is written later is
 * compared with both, so that a worker which was declared dead in between changes nothing any more.
 */
@Injectable()
export class WebhookLedger {
  constructor(
    private readonly database: Database,
    private readonly worker: Worker,
  ) {}

  /**
   * Claims up to `limit` due deliveries, and no more per endpoint than keep it at `perEndpoint` in flight over all
   * workers (two workers that claim in the same instant may exceed that for a moment). Walks from endpoint to endpoint
   * in the index, so that the backlog of one is not in the way of the others; the first waiting delivery of each
   * endpoint comes before the second of any.
   */
  async claim(limit: number, perEndpoint: number): Promise<WebhookJob[]> {
    const { rows } = await this.database.query<ClaimedRow>({
      name: 'webhooks-claim',
      text: CLAIM,
      values: [limit, perEndpoint, this.worker.id],
    });
    return rows.map((row) => ({
      id: row.id,
      webhookId: row.webhook_id,
      accountId: row.account_id,
      eventId: row.event_id,
      sequence: row.sequence,
      body: row.body,
      attempts: row.attempts,
      fence: row.fence,
      url: row.url,
      secretSealed: row.secret_sealed,
    }));
  }

  /** Writes down a group of attempts; tells per attempt whether the claim was still ours. */
  async settle(group: readonly Settlement[]): Promise<boolean[]> {
    const { rows } = await this.repeatable(() =>
      this.database.query<{ id: string }>({ name: 'webhooks-settle', text: SETTLE, values: this.settleValues(group) }),
    );
    const written = new Set(rows.map((row) => row.id));
    return group.map((settlement) => written.has(settlement.id));
  }

  /**
   * The endpoint said that it is gone for good (410): it gets nothing more, and everything that waited for it has
   * failed, calls in flight included. True when it had been enabled until now.
   */
  async disable(webhookId: string): Promise<boolean> {
    return this.repeatable(() =>
      this.database.transaction(async (tx) => {
        const { rowCount } = await tx.query(
          `UPDATE webhooks SET status = 'disabled' WHERE id = $1 AND status = 'enabled'`,
          [webhookId],
        );
        await tx.query(
          `UPDATE webhook_deliveries
              SET status = 'failed', due_at = NULL, claimed_by = NULL, last_error = 'endpoint_disabled', updated_at = now()
            WHERE webhook_id = $1 AND status = 'pending'`,
          [webhookId],
        );
        return rowCount > 0;
      }),
    );
  }

  /** Gives a claim back as if nothing had happened. */
  async release(job: WebhookJob): Promise<void> {
    await this.database.query(
      'UPDATE webhook_deliveries SET claimed_by = NULL WHERE id = $1 AND claimed_by = $2 AND fence = $3',
      [job.id, this.worker.id, job.fence],
    );
  }

  /** Gives back all that this worker still holds; only after its last call has ended. */
  async releaseAll(): Promise<number> {
    const { rowCount } = await this.database.query(
      'UPDATE webhook_deliveries SET claimed_by = NULL WHERE claimed_by = $1',
      [this.worker.id],
    );
    return rowCount;
  }

  /**
   * Frees what dead workers had claimed. Also claims whose worker is no longer written down at all: another program may
   * have been the one that buried it.
   */
  async freeDead(home?: string): Promise<number> {
    const dead = await freeDeadClaims(this.database, {
      tables: ['recipients', 'webhook_deliveries'],
      home,
      except: this.worker.id,
    });
    const { rowCount } = await this.database.query(
      `UPDATE webhook_deliveries d SET claimed_by = NULL
        WHERE claimed_by IS NOT NULL AND NOT EXISTS (SELECT FROM workers w WHERE w.id = d.claimed_by)`,
    );
    return dead + rowCount;
  }

  private settleValues(group: readonly Settlement[]): unknown[] {
    // Rows are locked in one order by everybody, which is what keeps groups from blocking each other.
    const rows = [...group].sort((a, b) => (a.id < b.id ? -1 : 1));
    return [
      this.worker.id,
      rows.map((row) => row.id),
      rows.map((row) => row.fence),
      rows.map((row) => row.status),
      rows.map((row) => (row.delayMs === null ? null : row.delayMs / 1000)),
      rows.map((row) => row.lastStatus),
      rows.map((row) => row.lastError),
      rows.map((row) => row.latencyMs),
      rows.map((row) => row.answer),
    ];
  }

  /** A deadlock or a serialisation failure rolls back and may simply be done again. */
  private async repeatable<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!isRetryable(error)) throw error;
      return work();
    }
  }
}

interface ClaimedRow {
  id: string;
  webhook_id: string;
  account_id: string;
  event_id: string;
  sequence: number;
  body: string;
  attempts: number;
  fence: number;
  url: string;
  secret_sealed: Buffer;
}

const WAITING = 'due_at IS NOT NULL AND claimed_by IS NULL';

const CLAIM = `
  WITH RECURSIVE endpoint (id) AS (
      (SELECT webhook_id FROM webhook_deliveries WHERE ${WAITING} ORDER BY webhook_id LIMIT 1)
    UNION ALL
      SELECT (SELECT d.webhook_id FROM webhook_deliveries d
               WHERE ${WAITING} AND d.webhook_id > e.id ORDER BY d.webhook_id LIMIT 1)
        FROM endpoint e WHERE e.id IS NOT NULL),
  busy AS (
    SELECT webhook_id, count(*)::int AS calls FROM webhook_deliveries WHERE claimed_by IS NOT NULL GROUP BY webhook_id),
  candidate AS (
    SELECT waiting.id, w.url, w.secret_sealed
      FROM endpoint e
      JOIN webhooks w ON w.id = e.id AND w.status = 'enabled'
      LEFT JOIN busy b ON b.webhook_id = e.id
     CROSS JOIN LATERAL (
       SELECT d.id, d.due_at, coalesce(b.calls, 0) + row_number() OVER (ORDER BY d.due_at) AS rank
         FROM webhook_deliveries d
        WHERE d.webhook_id = e.id AND ${WAITING} AND d.due_at <= now()
        ORDER BY d.due_at
        LIMIT greatest(0, $2::int - coalesce(b.calls, 0))) waiting
     ORDER BY waiting.rank, waiting.due_at
     LIMIT $1::int),
  locked AS (
    SELECT d.id, c.url, c.secret_sealed
      FROM webhook_deliveries d JOIN candidate c ON c.id = d.id
     WHERE ${WAITING}
       FOR UPDATE OF d SKIP LOCKED)
  UPDATE webhook_deliveries d SET claimed_by = $3, fence = d.fence + 1
    FROM locked l WHERE d.id = l.id
  RETURNING d.id, d.webhook_id, d.account_id, d.event_id, d.sequence, d.body, d.attempts, d.fence, l.url, l.secret_sealed`;

const SETTLE = `
  UPDATE webhook_deliveries d
     SET status = s.status,
         due_at = now() + make_interval(secs => s.delay),
         claimed_by = NULL,
         attempts = d.attempts + 1,
         last_status = s.last_status, last_error = s.last_error,
         last_latency_ms = s.latency, last_answer = s.answer,
         updated_at = now()
    FROM unnest($2::text[], $3::int[], $4::text[], $5::float8[], $6::int[], $7::text[], $8::int[], $9::text[])
         AS s (id, fence, status, delay, last_status, last_error, latency, answer)
   WHERE d.id = s.id AND d.claimed_by = $1 AND d.fence = s.fence
  RETURNING d.id`;
