import { Injectable } from '@nestjs/common';
import { newId, Refusal, timeOfId, visibleDomains, type Visibility } from '#libs/contracts';
import { LocalNotifications } from '#libs/kernel';
import { appendEvents, Database, routedEvent, type Queryable } from '#libs/persistence';
import { webhookIsVisible } from '../endpoints/visible-webhooks.js';
import { deliveryQuery, visibleDeliveries, type DeliveryFilter } from './delivery-query.js';
import { DELIVERY_COLUMNS, toWebhookEvent, type DeliveryRow, type WebhookEventView } from './delivery-view.js';
import type { PayloadFormat } from '../fan-out/payload-format.js';
import { webhookPayload } from '../fan-out/payload.js';

/** Deliveries that one request for a replay by time queues at most. */
export const REPLAY_LIMIT = 1000;
const TEST_MESSAGE = 'This is a test. Nothing happened to any of your mails.';

/** The result of one request for a replay by time. */
export interface Replayed {
  object: 'webhook_replay';
  webhook_id: string;
  queued: number;
  has_more: boolean;
  /** The value of `after` for the next request; null if the whole range is queued. */
  next_cursor: string | null;
}

/** Deliveries on demand: test events, and earlier events again with the same id and body. */
@Injectable()
export class WebhookReplay {
  constructor(
    private readonly database: Database,
    private readonly notifications: LocalNotifications,
  ) {}

  /**
   * Sends `webhook.test` to this endpoint alone, whatever it subscribed to. Null if the key sees no such endpoint.
   * @throws Refusal `conflict` (webhook_disabled)
   */
  async sendTest(visibility: Visibility, webhookId: string): Promise<WebhookEventView | null> {
    const { accountId } = visibility;
    return this.inTransaction(async (tx) => {
      const { rows } = await tx.query<{ sequence: number; payload_format: PayloadFormat; enabled: boolean; at: Date }>(
        `UPDATE webhooks SET sequence = sequence + 1
          WHERE id = $1 AND account_id = $2 AND ${webhookIsVisible(3)}
         RETURNING sequence, payload_format, status = 'enabled' AS enabled, now() AS at`,
        [webhookId, accountId, visibleDomains(visibility)],
      );
      if (rows.length === 0) return null;
      const [{ sequence, payload_format: format, enabled, at }] = rows;
      if (!enabled) throw disabled();
      const data = { webhook_id: webhookId, message: TEST_MESSAGE };
      const about = { accountId, key: webhookId, sequence, domainId: null, test: true, at };
      const logged = routedEvent({ type: 'webhook.test', data, ...about });
      await appendEvents(tx, [logged]);
      const { event } = logged;
      const id = newId('dlv');
      const body = webhookPayload(event.type, event, format);
      const made = await tx.query<DeliveryRow>(
        `INSERT INTO webhook_deliveries AS d
           (id, webhook_id, account_id, event_id, event_type, sequence, body, created_at, due_at, is_due, test)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, now(), true, true) RETURNING ${DELIVERY_COLUMNS}`,
        [id, webhookId, accountId, event.id, event.type, sequence, body, timeOfId(id)],
      );
      return toWebhookEvent(made.rows[0]);
    });
  }

  /**
   * Sends one event again, now and with all retries of the schedule. An event that is being sent right now is not changed.
   * Null if the key sees no such event at this endpoint.
   * @throws Refusal `conflict` (webhook_disabled)
   */
  async replayEvent(visibility: Visibility, webhookId: string, eventId: string): Promise<WebhookEventView | null> {
    const { accountId } = visibility;
    return this.inTransaction(async (tx) => {
      const enabled = await isEnabled(tx, visibility, webhookId);
      const { rows } = await tx.query<DeliveryRow>(
        `SELECT ${DELIVERY_COLUMNS} FROM webhook_deliveries d
          WHERE d.webhook_id = $1 AND d.account_id = $2 AND d.event_id = $3 AND ${visibleDeliveries(visibility, 4)}`,
        [webhookId, accountId, eventId, visibleDomains(visibility)],
      );
      if (enabled === null || rows.length === 0) return null;
      if (!enabled) throw disabled();
      const [again] = await requeue(tx, { accountId, webhookId, ids: [rows[0].id] });
      return toWebhookEvent(again ?? rows[0]);
    });
  }

  /**
   * Sends the events of a time range again, oldest first, at most 1,000 per call. Null if the key sees no such endpoint.
   * @throws Refusal `conflict` (webhook_disabled); `validation_error` for a range that ends before it begins
   */
  async replayRange(
    visibility: Visibility,
    webhookId: string,
    { after, ...filter }: DeliveryFilter & { after?: string },
  ): Promise<Replayed | null> {
    if (filter.createdAfter && filter.createdBefore && filter.createdBefore <= filter.createdAfter) throw emptyRange();
    return this.inTransaction(async (tx) => {
      const enabled = await isEnabled(tx, visibility, webhookId);
      if (enabled === null) return null;
      if (!enabled) throw disabled();
      const { text, values } = deliveryQuery('d.id', {
        visibility,
        webhookId,
        filter,
        direction: 'oldest first',
        ...(after === undefined ? {} : { beyond: after }),
        limit: REPLAY_LIMIT + 1,
      });
      const { rows } = await tx.query<{ id: string }>(text, values);
      const ids = rows.slice(0, REPLAY_LIMIT).map(({ id }) => id);
      const queued = (await requeue(tx, { accountId: visibility.accountId, webhookId, ids })).length;
      const has_more = rows.length > REPLAY_LIMIT;
      const next_cursor = has_more ? (ids.at(-1) ?? null) : null;
      return { object: 'webhook_replay', webhook_id: webhookId, queued, has_more, next_cursor };
    });
  }

  private async inTransaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    const result = await this.database.transaction(work);
    this.notifications.notify('outbox');
    this.notifications.notify('due-webhooks');
    return result;
  }
}

/** Null without such an endpoint. Locks the endpoint until the end of the transaction. */
async function isEnabled(tx: Queryable, visibility: Visibility, webhookId: string): Promise<boolean | null> {
  const { rows } = await tx.query<{ enabled: boolean }>(
    `SELECT status = 'enabled' AS enabled FROM webhooks
      WHERE id = $1 AND account_id = $2 AND ${webhookIsVisible(3)} FOR SHARE`,
    [webhookId, visibility.accountId, visibleDomains(visibility)],
  );
  return rows.length === 0 ? null : rows[0].enabled;
}

/** Skips deliveries that are in flight or that a dispatcher is settling. */
async function requeue(
  tx: Queryable,
  { accountId, webhookId, ids }: { accountId: string; webhookId: string; ids: string[] },
): Promise<DeliveryRow[]> {
  const { rows } = await tx.query<DeliveryRow>(
    `WITH free AS (
       SELECT id FROM webhook_deliveries
        WHERE id = ANY($3) AND webhook_id = $1 AND account_id = $2 AND claimed_by IS NULL
        ORDER BY id FOR NO KEY UPDATE SKIP LOCKED)
     UPDATE webhook_deliveries d
        SET status = 'pending', due_at = now(), is_due = true, attempts_before_replay = d.attempts, updated_at = now()
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

function emptyRange(): Refusal {
  const message = 'must be later than from';
  return new Refusal('validation_error', [{ field: 'to', code: 'out_of_range', message }], `to ${message}.`);
}
