import type { LoggedEvent, ServiceEvent } from '#libs/contracts';
import { resendData } from './resend-data.js';
import type { EnabledWebhook } from './webhook-audience.js';
import type { WebhookFlavour } from './webhook-flavour.js';

const ALL = '*';
const DELAYED = 'email.delivery_delayed';

/**
 * The name under which an endpoint gets this event, or null when it does not want it. `email.delivery_delayed` is only
 * another name of a temporary `email.failed`: for endpoints of the flavour `resend`, and for those that list it by name;
 * for the others, `*` means native names (details §5).
 */
export function webhookEventName(webhook: EnabledWebhook, logged: LoggedEvent): string | null {
  const { events, domainIds, flavour } = webhook;
  if (domainIds !== null && (logged.domainId === null || !domainIds.includes(logged.domainId))) return null;
  const { event } = logged;
  const delayed = isTemporaryFailure(event) && (flavour === 'resend' || events.includes(DELAYED));
  const name = delayed ? DELAYED : event.type;
  return events.includes(ALL) || events.includes(name) ? name : null;
}

/** Looks at `data` with care: an event of a later version must not keep the ones behind it from being fanned out. */
function isTemporaryFailure({ type, data }: ServiceEvent): boolean {
  return type === 'email.failed' && (data as { failure_type?: string } | null)?.failure_type === 'temporary';
}

/** The body of a webhook: exactly three fields (D-33), as text that stays the same over all attempts. */
export function webhookBody(name: string, event: ServiceEvent, flavour: WebhookFlavour): string {
  const data = flavour === 'resend' ? resendData(event) : event.data;
  return JSON.stringify({ type: name, created_at: event.created_at, data });
}
