import { isAboutLoginMail, type LoggedEvent, type ServiceEvent } from '#libs/contracts';
import { resendData } from './resend-payload.js';
import type { EnabledWebhook } from './subscriber-lookup.js';
import type { PayloadFormat } from './payload-format.js';

const ALL = '*';
const DELAYED = 'email.delivery_delayed';

/**
 * The event type under which an endpoint receives this event; null if it did not subscribe to it.
 * `email.delivery_delayed` is an alias of a temporary `email.failed`, used for endpoints of the format `resend` and for
 * those that list it by name. For the others `*` means native names.
 */
export function eventNameFor(webhook: EnabledWebhook, logged: LoggedEvent): string | null {
  const { events, domain_ids: domains, payload_format: format } = webhook;
  if (domains !== null && (logged.domainId === null || !domains.includes(logged.domainId))) return null;
  const { event } = logged;
  // Endpoints are made by API keys too, which see no login mail.
  if (isAboutLoginMail(logged)) return null;
  if (!webhook.include_bots && isOfBot(event)) return null;
  const delayed = isTemporaryFailure(event) && (format === 'resend' || events.includes(DELAYED));
  const name = delayed ? DELAYED : event.type;
  return events.includes(ALL) || events.includes(name) ? name : null;
}

/** An open or a click that no person made. Tolerates any `data`. */
function isOfBot({ data }: ServiceEvent): boolean {
  return (data as { is_bot?: boolean } | null)?.is_bot === true;
}

/** Tolerates any `data`: an event of a later version must not block the fan-out of the events after it. */
function isTemporaryFailure({ type, data }: ServiceEvent): boolean {
  return type === 'email.failed' && (data as { failure_type?: string } | null)?.failure_type === 'temporary';
}

/** The body of a request: exactly three fields, as text that is the same at every attempt. */
export function webhookPayload(
  name: string,
  event: ServiceEvent,
  { format, region }: { format: PayloadFormat; region: string },
): string {
  const data = format === 'resend' ? resendData(event, region) : event.data;
  return JSON.stringify({ type: name, created_at: event.created_at, data });
}
