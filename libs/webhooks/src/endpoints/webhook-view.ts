import { databaseClock } from '#libs/kernel';
import { webhook, type StoredWebhook, type WebhookView } from '../webhook.resource.js';

export function toWebhookView(row: StoredWebhook): WebhookView {
  const until = row.previous_secret_until;
  const overlaps = until !== null && until.getTime() > databaseClock.now();
  return webhook.toView(row, {
    object: 'webhook',
    previous_secret_expires_at: overlaps ? until.toISOString() : null,
  });
}
