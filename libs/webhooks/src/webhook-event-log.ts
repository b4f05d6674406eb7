import { Injectable } from '@nestjs/common';
import { Refusal, toPage, type Page, type PageRequest } from '#libs/contracts';
import { Database } from '#libs/persistence';
import { deliveryQuery, type DeliveryFilter } from './delivery-range.js';
import {
  DELIVERY_COLUMNS,
  presentAttempt,
  presentDelivery,
  type AttemptRow,
  type DeliveryRow,
  type WebhookAttemptView,
  type WebhookEventDetail,
  type WebhookEventView,
} from './webhook-event-view.js';

/** What was sent to an endpoint, or is still to be sent: the events of the last 30 days and every attempt. */
@Injectable()
export class WebhookEventLog {
  constructor(private readonly database: Database) {}

  /**
   * Newest first; cursors are `evt_…`. Null: no such endpoint in this account.
   * @throws Refusal `validation_error` for a cursor that is no event of this endpoint
   */
  async list(
    accountId: string,
    webhookId: string,
    { filter = {}, page }: { filter?: DeliveryFilter; page: PageRequest },
  ): Promise<Page<WebhookEventView> | null> {
    if (!(await this.hasWebhook(accountId, webhookId))) return null;
    const cursor = page.after ?? page.before;
    const query = deliveryQuery(DELIVERY_COLUMNS, {
      accountId,
      webhookId,
      filter,
      direction: page.before === undefined ? 'newest first' : 'oldest first',
      ...(cursor === undefined ? {} : { beyond: await this.cursor({ accountId, webhookId }, page) }),
      limit: page.limit + 1,
    });
    const { rows } = await this.database.query<DeliveryRow>(query.text, query.values);
    return toPage(page, rows, { id: (row) => row.event_id, present: presentDelivery });
  }

  /** Null: no such event at this endpoint of this account. */
  async find(accountId: string, webhookId: string, eventId: string): Promise<WebhookEventDetail | null> {
    const { rows } = await this.database.query<DeliveryRow & { body: string }>(
      `SELECT ${DELIVERY_COLUMNS}, d.body FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
        WHERE d.webhook_id = $1 AND d.account_id = $2 AND d.event_id = $3`,
      [webhookId, accountId, eventId],
    );
    return rows.length === 0
      ? null
      : { ...presentDelivery(rows[0]), payload: JSON.parse(rows[0].body) as WebhookEventDetail['payload'] };
  }

  /** Newest first; cursors are `atm_…`. Null: no such event at this endpoint of this account. */
  async attempts(
    accountId: string,
    of: { webhookId: string; eventId: string },
    page: PageRequest,
  ): Promise<Page<WebhookAttemptView> | null> {
    const event = await this.find(accountId, of.webhookId, of.eventId);
    if (!event) return null;
    const newestFirst = page.before === undefined;
    const { rows } = await this.database.query<AttemptRow>(
      `SELECT id, number, status, error, latency_ms, answer, started_at FROM webhook_attempts
        WHERE delivery_id = $1 AND ${newestFirst ? 'id < $2' : 'id > $2'}
        ORDER BY id ${newestFirst ? 'DESC' : 'ASC'} LIMIT $3`,
      [event.delivery_id, page.after ?? page.before ?? '~', page.limit + 1],
    );
    return toPage(page, rows, { id: (row) => row.id, present: presentAttempt });
  }

  private async hasWebhook(accountId: string, webhookId: string): Promise<boolean> {
    const { rowCount } = await this.database.query('SELECT 1 FROM webhooks WHERE id = $1 AND account_id = $2', [
      webhookId,
      accountId,
    ]);
    return rowCount > 0;
  }

  /** The place of a cursor in the order of the list, which is that of deliveries and not of events. */
  private async cursor(
    { accountId, webhookId }: { accountId: string; webhookId: string },
    { after, before }: PageRequest,
  ): Promise<string> {
    const { rows } = await this.database.query<{ id: string }>(
      'SELECT id FROM webhook_deliveries WHERE webhook_id = $1 AND account_id = $2 AND event_id = $3',
      [webhookId, accountId, after ?? before],
    );
    if (rows.length > 0) return rows[0].id;
    const field = after === undefined ? 'before' : 'after';
    const message = 'must be the id of an event of this webhook';
    throw new Refusal('validation_error', [{ field, code: 'invalid_cursor', message }], `${field} ${message}.`);
  }
}
