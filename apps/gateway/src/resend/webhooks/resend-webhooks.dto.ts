import type { WebhookInputOptions, WebhookSettings } from '#libs/webhooks';
import { Allow } from 'class-validator';

/**
 * Body of `POST /resend/webhooks` and of `PATCH /resend/webhooks/:id`. `WebhookSubscriptions` validates all fields in one
 * step, because their rules depend on settings.
 */
export class ResendWebhookDto {
  @Allow()
  endpoint?: string | null;

  /** Another name for `endpoint`. */
  @Allow()
  url?: string | null;

  @Allow()
  events?: string[] | null;

  @Allow()
  status?: WebhookSettings['status'] | null;
}

/** The given fields, and the options of this API. */
export function toWebhookFields({ endpoint, url, events, status }: ResendWebhookDto) {
  const byUrl = typeof endpoint !== 'string' && typeof url === 'string';
  const options: WebhookInputOptions = { payloadFormat: 'resend', urlField: byUrl ? 'url' : 'endpoint' };
  const address = byUrl ? url : (endpoint ?? undefined);
  return { changes: { url: address, events: events ?? undefined, status: status ?? undefined }, options };
}
