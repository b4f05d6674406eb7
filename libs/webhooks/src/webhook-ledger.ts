import { Injectable } from '@nestjs/common';
import { Database, freeDeadClaims, isRetryable, Worker } from '#libs/persistence';
import { CLAIM_JOBS, jobOf, type ClaimedRow, type WebhookJob } from './webhook-job.js';

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
      text: CLAIM_JOBS,
      values: [limit, perEndpoint, this.worker.id],
    });
    return rows.map(jobOf);
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
