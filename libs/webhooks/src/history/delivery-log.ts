import { Injectable } from '@nestjs/common';
import { Refusal, toPage, visibleDomains, type Page, type PageRequest, type Visibility } from '#libs/contracts';
import { Database } from '#libs/persistence';
import { webhookIsVisible } from '../endpoints/visible-webhooks.js';
import { deliveryQuery, visibleDeliveries, type DeliveryFilter } from './delivery-query.js';
import {
  webhookAttempt,
  type AttemptRow,
  type DeliveryRow,
  type WebhookAttemptView,
  type WebhookEventDetail,
  type WebhookEventView,
} from '../webhook-event.resource.js';
import { DELIVERY_COLUMNS, toWebhookAttempt, toWebhookEvent } from './delivery-view.js';

/** The events of the last 30 days at an endpoint, pending ones included, and every attempt. */
@Injectable()
export class WebhookDeliveryLog {
  constructor(private readonly database: Database) {}

  /**
   * Newest first; cursors are `evt_…`. Null if the key sees no such endpoint.
   * @throws Refusal `validation_error` for a cursor that is not an event of this endpoint
   */
  async list(
    visibility: Visibility,
    webhookId: string,
    { filter = {}, page }: { filter?: DeliveryFilter; page: PageRequest },
  ): Promise<Page<WebhookEventView> | null> {
    if (!(await this.hasWebhook(visibility, webhookId))) return null;
    const cursor = page.after ?? page.before;
    const query = deliveryQuery(DELIVERY_COLUMNS, {
      visibility,
      webhookId,
      filter,
      direction: page.before === undefined ? 'newest first' : 'oldest first',
      ...(cursor === undefined ? {} : { beyond: await this.cursor({ visibility, webhookId }, page) }),
      limit: page.limit + 1,
    });
    const { rows } = await this.database.query<DeliveryRow>(query.text, query.values);
    return toPage(page, rows, { id: (row) => row.event_id, present: toWebhookEvent });
  }

  /** Null if the key sees no such event at this endpoint. */
  async find(visibility: Visibility, webhookId: string, eventId: string): Promise<WebhookEventDetail | null> {
    if (!(await this.hasWebhook(visibility, webhookId))) return null;
    const { rows } = await this.database.query<DeliveryRow & { body: string }>(
      `SELECT ${DELIVERY_COLUMNS}, d.body FROM webhook_deliveries d
        WHERE d.webhook_id = $1 AND d.account_id = $2 AND d.event_id = $3 AND ${visibleDeliveries(visibility, 4)}`,
      [webhookId, visibility.accountId, eventId, visibleDomains(visibility)],
    );
    return rows.length === 0
      ? null
      : { ...toWebhookEvent(rows[0]), payload: JSON.parse(rows[0].body) as WebhookEventDetail['payload'] };
  }

  /** Newest first; cursors are `atm_…`. Null if the key sees no such event at this endpoint. */
  async attempts(
    visibility: Visibility,
    of: { webhookId: string; eventId: string },
    page: PageRequest,
  ): Promise<Page<WebhookAttemptView> | null> {
    const event = await this.find(visibility, of.webhookId, of.eventId);
    if (!event) return null;
    return (await this.callsOf(visibility, [event.delivery_id], page)).get(event.delivery_id) ?? null;
  }

  /** One page of attempts per delivery, by `dlv_…`. Deliveries that the key does not see are missing. */
  async callsOf(
    visibility: Visibility,
    deliveryIds: readonly string[],
    page: PageRequest,
  ): Promise<Map<string, Page<WebhookAttemptView>>> {
    const [compared, order] = page.before === undefined ? ['<', 'DESC'] : ['>', 'ASC'];
    const { rows } = await this.database.query<AttemptRow & { of: string; id: string | null }>(
      `SELECT d.id AS of, a.* FROM webhook_deliveries d LEFT JOIN LATERAL (
         SELECT ${webhookAttempt.columns} FROM webhook_attempts
          WHERE delivery_id = d.id AND id ${compared} $4
          ORDER BY id ${order} LIMIT $5) AS a ON true
        WHERE d.id = ANY ($1) AND d.account_id = $2 AND ${visibleDeliveries(visibility, 3)}
        ORDER BY a.id ${order}`,
      [deliveryIds, visibility.accountId, visibleDomains(visibility), page.after ?? page.before ?? '~', page.limit + 1],
    );
    const attempts = new Map<string, AttemptRow[]>(rows.map(({ of }) => [of, []]));
    for (const { of, ...row } of rows) if (row.id !== null) attempts.get(of)?.push(row);
    return new Map(
      [...attempts].map(([id, found]) => [id, toPage(page, found, { id: (row) => row.id, present: toWebhookAttempt })]),
    );
  }

  /** The bodies of the requests, by `dlv_…`. Deliveries that the key does not see are missing. */
  async payloads(
    visibility: Visibility,
    deliveryIds: readonly string[],
  ): Promise<Map<string, WebhookEventDetail['payload']>> {
    const { rows } = await this.database.query<{ id: string; body: string }>(
      `SELECT d.id, d.body FROM webhook_deliveries d
        WHERE d.id = ANY ($1) AND d.account_id = $2 AND ${visibleDeliveries(visibility, 3)}`,
      [deliveryIds, visibility.accountId, visibleDomains(visibility)],
    );
    return new Map(rows.map(({ id, body }) => [id, JSON.parse(body) as WebhookEventDetail['payload']]));
  }

  private async hasWebhook(visibility: Visibility, webhookId: string): Promise<boolean> {
    const { rowCount } = await this.database.query(
      `SELECT 1 FROM webhooks WHERE id = $1 AND account_id = $2 AND ${webhookIsVisible(3)}`,
      [webhookId, visibility.accountId, visibleDomains(visibility)],
    );
    return rowCount > 0;
  }

  /** The delivery of a cursor: the list is in the order of deliveries, not of events. */
  private async cursor(
    { visibility, webhookId }: { visibility: Visibility; webhookId: string },
    { after, before }: PageRequest,
  ): Promise<string> {
    const { rows } = await this.database.query<{ id: string }>(
      `SELECT d.id FROM webhook_deliveries d
        WHERE d.webhook_id = $1 AND d.account_id = $2 AND d.event_id = $3 AND ${visibleDeliveries(visibility, 4)}`,
      [webhookId, visibility.accountId, after ?? before, visibleDomains(visibility)],
    );
    if (rows.length > 0) return rows[0].id;
    const field = after === undefined ? 'before' : 'after';
    const message = 'must be the id of an event of this webhook';
    throw new Refusal('validation_error', [{ field, code: 'invalid_cursor', message }], `${field} ${message}.`);
  }
}
