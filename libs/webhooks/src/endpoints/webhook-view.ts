import type { DisabledReason, Webhook } from './webhook.entity.js';
import { databaseClock } from '#libs/kernel';

/** The API representation of an endpoint. The secret is shown only in the response to creation and rotation. */
export interface WebhookView {
  id: string;
  object: 'webhook';
  url: string;
  events: string[];
  domain_ids: string[] | null;
  include_bots: boolean;
  status: 'enabled' | 'disabled';
  disabled_reason: DisabledReason | null;
  failing_since: string | null;
  previous_secret_expires_at: string | null;
  created_at: string;
  updated_at: string;
}

export function toWebhookView(row: Webhook): WebhookView {
  const overlaps = row.previousSecretUntil !== null && row.previousSecretUntil.getTime() > databaseClock.now();
  return {
    id: row.id,
    object: 'webhook',
    url: row.url,
    events: row.events,
    domain_ids: row.domainIds,
    include_bots: row.includeBots,
    status: row.status,
    disabled_reason: row.disabledReason,
    failing_since: row.failingSince?.toISOString() ?? null,
    previous_secret_expires_at: overlaps ? (row.previousSecretUntil?.toISOString() ?? null) : null,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
