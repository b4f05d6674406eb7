import { Injectable } from '@nestjs/common';
import { Database, freeDeadClaims, isRetryable, Worker } from '#libs/persistence';
import { disableWebhook } from './webhook-disable.js';
import { CLAIM_JOBS, jobOf, type ClaimedRow, type WebhookJob } from './webhook-job.js';
import { SETTLE, settleValues, turnsOf, type SettledRow, type Settlement } from './webhook-settle.js';
import type { DisabledReason } from './webhook.entity.js';

/** How a settlement went: whether the claim was still ours, and whether the endpoint has now failed for too long. */
export interface Settled {
  written: boolean;
  failingTooLong: boolean;
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

  /** Writes down a group of attempts, and which endpoints begin to fail or have recovered by them. */
  async settle(group: readonly Settlement[]): Promise<Settled[]> {
    const { rows } = await this.repeatable(() =>
      this.database.query<SettledRow>({
        name: 'webhooks-settle',
        text: SETTLE,
        values: settleValues(this.worker.id, group),
      }),
    );
    // A statement of its own: rows of endpoints and of deliveries are never held together here, so that nobody who
    // takes them in the other order (disabling does) is in the way.
    await this.turn(turnsOf(rows));
    const written = new Map(rows.map((row) => [row.id, row]));
    return group.map(({ id }) => {
      const row = written.get(id);
      return { written: row !== undefined, failingTooLong: row?.too_long === true && row.status !== 'delivered' };
    });
  }

  /** Disables an endpoint; see `disableWebhook`. True when it had been enabled until now. */
  async disable(id: string, reason: DisabledReason): Promise<boolean> {
    const account = await this.repeatable(() => this.database.transaction((tx) => disableWebhook(tx, { id, reason })));
    return account !== null;
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

  private async turn({ failing, recovered }: ReturnType<typeof turnsOf>): Promise<void> {
    if (failing.length > 0)
      await this.database.query(
        'UPDATE webhooks SET failing_since = now() WHERE id = ANY($1) AND failing_since IS NULL',
        [failing],
      );
    if (recovered.length > 0)
      await this.database.query(
        'UPDATE webhooks SET failing_since = NULL WHERE id = ANY($1) AND failing_since IS NOT NULL',
        [recovered],
      );
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
