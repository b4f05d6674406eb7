import { Injectable } from '@nestjs/common';
import { newId, timeOfId, type LoggedEvent } from '#libs/contracts';
import { Config, LocalNotifications } from '#libs/kernel';
import { Database } from '#libs/persistence';
import { SubscriberLookup } from './subscriber-lookup.js';
import { webhookPayload, eventNameFor } from './payload.js';

/** Creates one delivery per event and subscribed endpoint, never two. */
@Injectable()
export class WebhookFanOut {
  constructor(
    private readonly subscribers: SubscriberLookup,
    private readonly database: Database,
    private readonly notifications: LocalNotifications,
    private readonly config: Config,
  ) {}

  /** Handles one batch of the event log; a repeated batch adds nothing. */
  async handle(batch: { events: readonly LoggedEvent[] }): Promise<void> {
    // A test event is for one endpoint only, and its delivery was created together with it.
    const columns = await this.columns(batch.events.filter(({ event }) => event.type !== 'webhook.test'));
    if (columns[0].length === 0) return;
    const { rowCount } = await this.database.query({ name: 'webhooks-fan-out', text: INSERT, values: columns });
    if (rowCount > 0) this.notifications.notify('due-webhooks');
  }

  private async columns(events: readonly LoggedEvent[]): Promise<unknown[][]> {
    const webhooksByAccount = await this.subscribers.find(new Set(events.map(({ event }) => event.account_id)));
    const columns: unknown[][] = Array.from({ length: 10 }, () => []);
    for (const logged of events) {
      const { event, sequence, domainId, test } = logged;
      for (const webhook of webhooksByAccount.get(event.account_id) ?? []) {
        const name = eventNameFor(webhook, logged);
        if (name === null) continue;
        const id = newId('dlv');
        const body = webhookPayload(name, event, {
          format: webhook.payload_format,
          region: this.config.settings.REGION,
        });
        const row = [id, webhook.id, event.account_id, event.id, name, sequence, body, timeOfId(id), domainId, test];
        row.forEach((value, i) => columns[i].push(value));
      }
    }
    return columns;
  }
}

// The lock on the endpoint orders this statement and a removal: either the delivery is inserted before and removed with
// the endpoint, or the endpoint is gone and gets none.
const INSERT = `
  INSERT INTO webhook_deliveries (id, webhook_id, account_id, event_id, event_type, sequence, body, created_at, domain_id, test, due_at,
                                  is_due)
  SELECT n.id, n.webhook_id, n.account_id, n.event_id, n.event_type, n.sequence, n.body, n.created_at, n.domain_id, n.test,
         now(), true
    FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int[], $7::text[], $8::timestamptz[],
                $9::text[], $10::boolean[])
           AS n (id, webhook_id, account_id, event_id, event_type, sequence, body, created_at, domain_id, test)
    JOIN webhooks w ON w.id = n.webhook_id AND w.account_id = n.account_id AND w.status = 'enabled'
     FOR SHARE OF w
  ON CONFLICT (webhook_id, event_id) DO NOTHING`;
