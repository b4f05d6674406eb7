import { Injectable } from '@nestjs/common';
import { newId, Refusal, timeOfId } from '#libs/contracts';
import { Wakeups } from '#libs/kernel';
import { appendEvents, Database, routedEvent, type Queryable } from '#libs/persistence';
import { deliveryQuery, type DeliveryFilter } from './delivery-range.js';
import { DELIVERY_COLUMNS, presentDelivery, type DeliveryRow, type WebhookEventView } from './webhook-event-view.js';
import type { WebhookFlavour } from './webhook-flavour.js';
import { webhookBody } from './webhook-matching.js';

/** Deliveries that one call of a replay by time may queue. */
export const REPLAY_LIMIT = 1000;
const MESSAGE = 'This is a test. Nothing happened to any of your mails.';

/** How far a replay by time came. */
export interface Replayed {
  object: 'webhook_replay';
  webhook_id: string;
  queued: number;
  has_more: boolean;
  /** Given as `after` in the next call it goes on from here; null when all of the range is queued. */
  next_cursor: string | null;
}

/** Deliveries on demand: tests, and what was sent before once more, with the same id and body. */
@Injectable()
export class WebhookReplay {
  constructor(
    private readonly database: Database,
    private readonly wakeups: Wakeups,
  ) {}

  /**
   * A `webhook.test` to this endpoint alone, whatever kinds it listens to. Null: no such endpoint in this account.
   * @throws Refusal `conflict` (webhook_disabled)
   */
  async test(accountId: string, webhookId: string): Promise<WebhookEventView | null> {
    return this.inTransaction(async (tx) => {
      const { rows } = await tx.query<{ sequence: number; flavour: WebhookFlavour; enabled: boolean; at: Date }>(
        `UPDATE webhooks SET sequence = sequence + 1 WHERE id = $1 AND account_id = $2
         RETURNING sequence, flavour, status = 'enabled' AS enabled, now() AS at`,
        [webhookId, accountId],
      );
      if (rows.length === 0) return null;
      const [{ sequence, flavour, enabled, at }] = rows;
      if (!enabled) throw disabled();
      const data = { webhook_id: webhookId, message: MESSAGE };
      const about = { accountId, key: webhookId, sequence, domainId: null, test: true, at };
      const logged = routedEvent({ type: 'webhook.test', data, ...about });
      await appendEvents(tx, [logged]);
      const { event } = logged;
      const id = newId('dlv');
      const body = webhookBody(event.type, event, flavour);
      const made = await tx.query<DeliveryRow>(
        `INSERT INTO webhook_deliveries AS d
           (id, webhook_id, account_id, event_id, event_type, sequence, body, created_at, due_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, now()) RETURNING ${DELIVERY_COLUMNS}`,
        [id, webhookId, accountId, event.id, event.type, sequence, body, timeOfId(id)],
      );
      return presentDelivery(made.rows[0]);
    });
  }

  /**
   * Sends one event again, now and with the whole ladder of retries before it; one that is being sent right now is left
   * alone. Null: no such event at this endpoint of this account. @throws Refusal `conflict` (webhook_disabled)
   */
  async one(accountId: string, webhookId: string, eventId: string): Promise<WebhookEventView | null> {
    return this.inTransaction(async (tx) => {
      const enabled = await isEnabled(tx, accountId, webhookId);
      const { rows } = await tx.query<DeliveryRow>(
        `SELECT ${DELIVERY_COLUMNS} FROM webhook_deliveries d
          WHERE d.webhook_id = $1 AND d.account_id = $2 AND d.event_id = $3`,
        [webhookId, accountId, eventId],
      );
      if (enabled === null || rows.length === 0) return null;
      if (!enabled) throw disabled();
      const [again] = await queueAgain(tx, { accountId, webhookId, ids: [rows[0].id] });
      return presentDelivery(again ?? rows[0]);
    });
  }

  /**
   * Sends again what was made for the endpoint in a range of time, oldest first, at most 1,000 of them a call.
   * Null: no such endpoint in this account.
   * @throws Refusal `conflict` (webhook_disabled); `validation_error` for a range that ends before it begins
   */
  async range(
    accountId: string,
    webhookId: string,
    { after, ...filter }: DeliveryFilter & { after?: string },
  ): Promise<Replayed | null> {
    if (filter.createdAfter && filter.createdBefore && filter.createdBefore <= filter.createdAfter) throw noRange();
    return this.inTransaction(async (tx) => {
      const enabled = await isEnabled(tx, accountId, webhookId);
      if (enabled === null) return null;
      if (!enabled) throw disabled();
      const { text, values } = deliveryQuery('d.id', {
        accountId,
        webhookId,
        filter,
        direction: 'oldest first',
        ...(after === undefined ? {} : { beyond: after }),
        limit: REPLAY_LIMIT + 1,
      });
      const { rows } = await tx.query<{ id: string }>(text, values);
      const ids = rows.slice(0, REPLAY_LIMIT).map(({ id }) => id);
      const queued = (await queueAgain(tx, { accountId, webhookId, ids })).length;
      const has_more = rows.length > REPLAY_LIMIT;
      const next_cursor = has_more ? (ids.at(-1) ?? null) : null;
      return { object: 'webhook_replay', webhook_id: webhookId, queued, has_more, next_cursor };
    });
  }

  private async inTransaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    const result = await this.database.transaction(work);
    this.wakeups.ring('outbox');
    this.wakeups.ring('due-webhooks');
    return result;
  }
}

/** Null without such an endpoint. It stays as it is until the transaction ends. */
async function isEnabled(tx: Queryable, accountId: string, webhookId: string): Promise<boolean | null> {
  const { rows } = await tx.query<{ enabled: boolean }>(
    `SELECT status = 'enabled' AS enabled FROM webhooks WHERE id = $1 AND account_id = $2 FOR SHARE`,
    [webhookId, accountId],
  );
  return rows.length === 0 ? null : rows[0].enabled;
}

/** Those that are being sent, or that a dispatcher writes down right now, are passed over. */
async function queueAgain(
  tx: Queryable,
  { accountId, webhookId, ids }: { accountId: string; webhookId: string; ids: string[] },
): Promise<DeliveryRow[]> {
  const { rows } = await tx.query<DeliveryRow>(
    `WITH free AS (
       SELECT id FROM webhook_deliveries
        WHERE id = ANY($3) AND webhook_id = $1 AND account_id = $2 AND claimed_by IS NULL
        ORDER BY id FOR NO KEY UPDATE SKIP LOCKED)
     UPDATE webhook_deliveries d
        SET status = 'pending', due_at = now(), ladder_base = d.attempts, updated_at = now()
       FROM free WHERE d.id = free.id
     RETURNING ${DELIVERY_COLUMNS}`,
    [webhookId, accountId, ids],
  );
  return rows;
}

function disabled(): Refusal {
  const message = 'is disabled; enable it first';
  return new Refusal('conflict', [{ field: 'id', code: 'webhook_disabled', message }], `The webhook ${message}.`);
}

function noRange(): Refusal {
  const message = 'must be later than from';
  return new Refusal('validation_error', [{ field: 'to', code: 'out_of_range', message }], `to ${message}.`);
}
