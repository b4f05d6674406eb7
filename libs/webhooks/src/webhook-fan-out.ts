import { Injectable } from '@nestjs/common';
import { newId, type LoggedEvent } from '#libs/contracts';
import { Wakeups } from '#libs/kernel';
import { Database } from '#libs/persistence';
import { webhookBody, webhookEventName } from './webhook-matching.js';
import { WebhookSubscriptions } from './webhook-subscriptions.js';

/** From the log to rows of work: one delivery per event and endpoint that wants it, never two. */
@Injectable()
export class WebhookFanOut {
  constructor(
    private readonly subscriptions: WebhookSubscriptions,
    private readonly database: Database,
    private readonly wakeups: Wakeups,
  ) {}

  /** Handles one batch of the log; a batch that is handed over again adds nothing. */
  async handle(batch: { events: readonly LoggedEvent[] }): Promise<void> {
    const columns = await this.columns(batch.events);
    if (columns[0].length === 0) return;
    const { rowCount } = await this.database.query({ name: 'webhooks-fan-out', text: INSERT, values: columns });
    if (rowCount > 0) this.wakeups.ring('due-webhooks');
  }

  private async columns(events: readonly LoggedEvent[]): Promise<unknown[][]> {
    const accounts = [...new Set(events.map(({ event }) => event.account_id))];
    const enabled = await this.subscriptions.enabledFor(accounts);
    const columns: unknown[][] = Array.from({ length: 7 }, () => []);
    for (const { event, sequence } of events) {
      for (const webhook of enabled.get(event.account_id) ?? []) {
        const name = webhookEventName(webhook.events, event);
        if (name === null) continue;
        const row = [newId('dlv'), webhook.id, event.account_id, event.id, name, sequence, webhookBody(name, event)];
        row.forEach((value, i) => columns[i].push(value));
      }
    }
    return columns;
  }
}

// The endpoint's row is locked against its removal: either the delivery is there before and is removed with it, or the
// endpoint is gone before and gets none.
const INSERT = `
  INSERT INTO webhook_deliveries (id, webhook_id, account_id, event_id, event_type, sequence, body, due_at)
  SELECT n.id, n.webhook_id, n.account_id, n.event_id, n.event_type, n.sequence, n.body, now()
    FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int[], $7::text[])
           AS n (id, webhook_id, account_id, event_id, event_type, sequence, body)
    JOIN webhooks w ON w.id = n.webhook_id AND w.account_id = n.account_id AND w.status = 'enabled'
     FOR SHARE OF w
  ON CONFLICT (webhook_id, event_id) DO NOTHING`;
