import { Injectable } from '@nestjs/common';
import { newId, timeOfId, visibleDomains, type Visibility } from '#libs/contracts';
import { Config, LocalNotifications } from '#libs/kernel';
import { outbox, Database, type Queryable } from '#libs/persistence';
import { webhookIsVisible } from '../endpoints/visible-webhooks.js';
import { visibleDeliveries } from './delivery-query.js';
import type { DeliveryRow, WebhookEventView } from '../webhook-event.resource.js';
import { DELIVERY_COLUMNS, toWebhookEvent } from './delivery-view.js';
import type { PayloadFormat } from '../fan-out/payload-format.js';
import { webhookPayload } from '../fan-out/payload.js';
import { isEnabled, requeue, webhookDisabled } from './requeue.js';

const TEST_MESSAGE = 'This is a test. Nothing happened to any of your mails.';

/** Deliveries on demand: test events, and earlier events again with the same id and body. */
@Injectable()
export class WebhookReplay {
  constructor(
    private readonly database: Database,
    private readonly notifications: LocalNotifications,
    private readonly config: Config,
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
      if (!enabled) throw webhookDisabled();
      const data = { webhook_id: webhookId, message: TEST_MESSAGE };
      const about = { accountId, key: webhookId, sequence, domainId: null, test: true, at };
      const logged = outbox.event({ type: 'webhook.test', data, ...about });
      await outbox.append(tx, [logged]);
      const { event } = logged;
      const id = newId('dlv');
      const body = webhookPayload(event.type, event, { format, region: this.config.settings.REGION });
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
      if (!enabled) throw webhookDisabled();
      const [again] = await requeue(tx, { accountId, webhookId, ids: [rows[0].id] });
      return toWebhookEvent(again ?? rows[0]);
    });
  }

  private async inTransaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    const result = await this.database.transaction(work);
    this.notifications.notify('outbox');
    this.notifications.notify('due-webhooks');
    return result;
  }
}
