import type { Rule } from '#libs/emails';
import type { WebhookDoor, WebhookFields } from '#libs/webhooks';
import { ByRule } from '../by-rule.js';

/** Which values are allowed depends on settings; the webhooks lib judges all fields at once. */
const judgedByTheLib: Rule = () => [];

/** Body of `POST /resend/webhooks` and of `PATCH /resend/webhooks/:id`. */
export class ResendWebhookDto {
  @ByRule(judgedByTheLib)
  endpoint?: string | null;

  /** Another name of `endpoint`. */
  @ByRule(judgedByTheLib)
  url?: string | null;

  @ByRule(judgedByTheLib)
  events?: string[] | null;

  @ByRule(judgedByTheLib)
  status?: WebhookFields['status'] | null;
}

/** What is given of the fields, and the door they came through. */
export function resendWebhookFields({ endpoint, url, events, status }: ResendWebhookDto) {
  const byUrl = typeof endpoint !== 'string' && typeof url === 'string';
  const door: WebhookDoor = { flavour: 'resend', urlField: byUrl ? 'url' : 'endpoint' };
  const address = byUrl ? url : (endpoint ?? undefined);
  return { door, url: address, events: events ?? undefined, status: status ?? undefined };
}
