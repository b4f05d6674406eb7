import { Injectable } from '@nestjs/common';
import { Database, Worker, type StoredClaim, databaseErrors } from '#libs/persistence';
import { disableWebhook, failPending, withPendingDeliveries } from '../endpoints/disable.js';
import {
  CLAIM_JOBS,
  endpointsPerClaim,
  MARK_DUE,
  OLDEST_DUE,
  toJob,
  type ClaimedRow,
  type WebhookJob,
} from './claim.js';
import { SETTLE, settleValues, type SettledRow, type Settlement } from './settle.js';
import type { DisabledReason } from '../webhook.resource.js';
import { GROW_WINDOW, SHRINK_WINDOW } from './window.js';

export interface SettleResult {
  /** False: the claim was no longer ours. */
  written: boolean;
  /** The endpoint was failing before this group, as the database has it. */
  wasFailing: boolean;
  /** The endpoint must be disabled. */
  failingTooLong: boolean;
}

/** The claim of one delivery as the database has it. */
export interface WebhookClaim extends StoredClaim {
  id: string;
  fence: number;
}

export interface Claim {
  jobs: WebhookJob[];
  /** Endpoints of these jobs for which more deliveries may be due than they had room for. */
  waiting: Set<string>;
  /** False: endpoints that this claim did not visit may have due deliveries. */
  isComplete: boolean;
}

/** See `StoredClaim`. */
export const claimKeyOf = ({ id, fence }: { id: string; fence: number }): string => `${id} ${fence}`;

/**
 * The queue of deliveries in the database. A claim records the worker and increments a fence; later writes compare both,
 * so that a worker which was declared dead in between changes nothing.
 */
@Injectable()
export class DeliveryQueue {
  /** The endpoint after which the next claim starts; '' for the first. */
  private lastEndpoint = '';

  constructor(
    private readonly database: Database,
    private readonly worker: Worker,
  ) {}

  /**
   * Claims due deliveries, within the window of each endpoint over all workers (two workers that claim at the same moment
   * may exceed it) and within its share of the free slots of this process. Visits a bounded number of endpoints with due
   * deliveries; the next claim continues after them.
   * @param held requests in flight of this process by endpoint
   */
  async claim(free: number, held: ReadonlyMap<string, number> = new Map()): Promise<Claim> {
    await this.database.query({ name: 'webhooks-mark-due', text: MARK_DUE, values: [] });
    const toVisit = endpointsPerClaim(free);
    const { rows } = await this.database.query<ClaimedRow>({
      name: 'webhooks-claim',
      text: CLAIM_JOBS,
      values: [free, this.worker.id, this.lastEndpoint, JSON.stringify(Object.fromEntries(held)), toVisit],
    });
    const [{ reached, steps }] = rows;
    const isAtEnd = steps !== toVisit;
    const isComplete = isAtEnd && this.lastEndpoint === '';
    this.lastEndpoint = isAtEnd ? '' : (reached ?? '');
    const claimed = rows.filter(({ id }) => id !== null);
    return { jobs: claimed.map(toJob), waiting: endpointsWithMore(claimed), isComplete };
  }

  /** Age in seconds of the oldest delivery that is due and unclaimed; 0 without one. */
  async oldestDue(): Promise<number> {
    const { rows } = await this.database.query<{ seconds: number | null }>(OLDEST_DUE);
    return rows[0].seconds ?? 0;
  }

  /** Adds to the number of requests in flight that an endpoint may have. */
  async growWindow(webhookId: string, by: number): Promise<void> {
    await this.database.query({ name: 'webhooks-grow-window', text: GROW_WINDOW, values: [webhookId, by] });
  }

  /** Halves it, unless it was halved after the attempt began, and pauses the endpoint if it asked for that. */
  async shrinkWindow(webhookId: string, { startedAt, pauseMs }: { startedAt: Date; pauseMs: number }): Promise<void> {
    await this.database.query({
      name: 'webhooks-shrink-window',
      text: SHRINK_WINDOW,
      values: [webhookId, startedAt, pauseMs],
    });
  }

  /** Records a group of attempts. */
  async settle(group: readonly Settlement[]): Promise<SettleResult[]> {
    const { rows } = await retryOnce(() =>
      this.database.query<SettledRow>({
        name: 'webhooks-settle',
        text: SETTLE,
        values: settleValues(this.worker.id, group),
      }),
    );
    const written = new Map(rows.map((row) => [row.id, row]));
    return group.map(({ id }) => {
      const row = written.get(id);
      return {
        written: row !== undefined,
        wasFailing: row?.failing === true,
        failingTooLong: row?.too_long === true && row.status !== 'delivered',
      };
    });
  }

  /** Records that an endpoint starts to fail, or that it has recovered. */
  async setFailing(webhookId: string, failing: boolean): Promise<void> {
    await this.database.query(
      failing
        ? 'UPDATE webhooks SET failing_since = now() WHERE id = $1 AND failing_since IS NULL'
        : 'UPDATE webhooks SET failing_since = NULL WHERE id = $1 AND failing_since IS NOT NULL',
      [webhookId],
    );
  }

  /** Disables an endpoint and fails its pending deliveries. The account; null when it was disabled before. */
  async disable(id: string, reason: DisabledReason): Promise<string | null> {
    const account = await retryOnce(() => this.database.transaction((tx) => disableWebhook(tx, { id, reason })));
    await failPending(this.database, id);
    return account;
  }

  /** Fails deliveries that were left pending when their endpoint was disabled. */
  async failLeftPending(): Promise<void> {
    for (const id of await withPendingDeliveries(this.database)) await failPending(this.database, id);
  }

  /** All claims of this worker, also those that no job stands for. */
  async storedClaims(): Promise<WebhookClaim[]> {
    const { rows } = await this.database.query<{ id: string; fence: number }>(
      'SELECT id, fence FROM webhook_deliveries WHERE claimed_by = $1',
      [this.worker.id],
    );
    return rows.map((row) => ({ ...row, key: claimKeyOf(row) }));
  }

  /** Releases claims without an attempt; the deliveries are due as before. */
  async release(claims: readonly { id: string; fence: number }[]): Promise<void> {
    await this.database.query(
      `UPDATE webhook_deliveries d SET claimed_by = NULL
         FROM unnest($1::text[], $2::int[]) AS c (id, fence)
        WHERE d.id = c.id AND d.claimed_by = $3 AND d.fence = c.fence`,
      [claims.map(({ id }) => id), claims.map(({ fence }) => fence), this.worker.id],
    );
  }

  /** Releases all claims of this worker. Call it only after the last request has ended. */
  async releaseAll(): Promise<number> {
    const { rowCount } = await this.database.query(
      'UPDATE webhook_deliveries SET claimed_by = NULL WHERE claimed_by = $1',
      [this.worker.id],
    );
    return rowCount;
  }

  /** `traceparent` of the request that submitted the email of the event; null without one. Asked only while tracing is on. */
  async traceContextOf({ body }: WebhookJob): Promise<string | null> {
    const { email_id } = (JSON.parse(body) as { data: { email_id?: string } }).data;
    if (email_id === undefined) return null;
    const { rows } = await this.database.query<{ trace_context: string | null }>(
      'SELECT trace_context FROM emails WHERE id = $1',
      [email_id],
    );
    return rows[0]?.trace_context ?? null;
  }
}

function endpointsWithMore(rows: readonly ClaimedRow[]): Set<string> {
  const claimed = new Map<string, number>();
  for (const { webhook_id: id } of rows) claimed.set(id, (claimed.get(id) ?? 0) + 1);
  const more = rows.filter((row) => row.considered === row.room || (claimed.get(row.webhook_id) ?? 0) < row.considered);
  return new Set(more.map(({ webhook_id: id }) => id));
}

/** Repeats work that a deadlock or a serialisation failure has rolled back. */
async function retryOnce<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!databaseErrors.isRetryable(error)) throw error;
    return work();
  }
}
