import { Injectable } from '@nestjs/common';
import { newId, timeOfId, type LoggedEvent } from '#libs/contracts';
import { Wakeups } from '#libs/kernel';
import { Database } from '#libs/persistence';
import { WebhookAudience } from './webhook-audience.js';
import { webhookBody, webhookEventName } from './webhook-matching.js';

/** From the log to rows of work: one delivery per event and endpoint that wants it, never two. */
@Injectable()
export class WebhookFanOut {
  constructor(
    private readonly audience: WebhookAudience,
    private readonly database: Database,
    private readonly wakeups: Wakeups,
  ) {}

  /** Handles one batch of the log; a batch that is handed over again adds nothing. */
  async handle(batch: { events: readonly LoggedEvent[] }): Promise<void> {
    // A test is for one endpoint only, and has had its delivery from the beginning.
    const columns = await this.columns(batch.events.filter(({ event }) => event.type !== 'webhook.test'));
    if (columns[0].length === 0) return;
    const { rowCount } = await this.database.query({ name: 'webhooks-fan-out', text: INSERT, values: columns });
    if (rowCount > 0) this.wakeups.ring('due-webhooks');
  }

  private async columns(events: readonly LoggedEvent[]): Promise<unknown[][]> {
    const audience = await this.audience.of(new Set(events.map(({ event }) => event.account_id)));
    const columns: unknown[][] = Array.from({ length: 8 }, () => []);
    for (const logged of events) {
      const { event, sequence } = logged;
      for (const webhook of audience.get(event.account_id) ?? []) {
        const name = webhookEventName(webhook, logged);
        if (name === null) continue;
        const id = newId('dlv');
        const body = webhookBody(name, event, webhook.flavour);
        const row = [id, webhook.id, event.account_id, event.id, name, sequence, body, timeOfId(id)];
        row.forEach((value, i) => columns[i].push(value));
      }
    }
    return columns;
  }
}

// The endpoint's row is locked against its removal: either the delivery is there before and is removed with it, or the
// endpoint is gone before and gets none.
const INSERT = `
  INSERT INTO webhook_deliveries (id, webhook_id, account_id, event_id, event_type, sequence, body, created_at, due_at)
  SELECT n.id, n.webhook_id, n.account_id, n.event_id, n.event_type, n.sequence, n.body, n.created_at, now()
    FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int[], $7::text[], $8::timestamptz[])
           AS n (id, webhook_id, account_id, event_id, event_type, sequence, body, created_at)
    JOIN webhooks w ON w.id = n.webhook_id AND w.account_id = n.account_id AND w.status = 'enabled'
     FOR SHARE OF w
  ON CONFLICT (webhook_id, event_id) DO NOTHING`;
