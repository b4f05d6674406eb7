import type { DisabledReason, Webhook } from './webhook.entity.js';

/** An endpoint as customers see it (D-42). The secret is shown once, by create and rotate. */
export interface WebhookView {
  id: string;
  object: 'webhook';
  url: string;
  events: string[];
  domain_ids: string[] | null;
  status: 'enabled' | 'disabled';
  disabled_reason: DisabledReason | null;
  failing_since: string | null;
  previous_secret_expires_at: string | null;
  created_at: string;
  updated_at: string;
}

export function presentWebhook(row: Webhook): WebhookView {
  const overlaps = row.previousSecretUntil !== null && row.previousSecretUntil.getTime() > Date.now();
  return {
    id: row.id,
    object: 'webhook',
    url: row.url,
    events: row.events,
    domain_ids: row.domainIds,
    status: row.status,
    disabled_reason: row.disabledReason,
    failing_since: row.failingSince?.toISOString() ?? null,
    previous_secret_expires_at: overlaps ? (row.previousSecretUntil?.toISOString() ?? null) : null,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
