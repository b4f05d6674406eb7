import type { ServiceEvent } from '#libs/contracts';

const ALL = '*';
const DELAYED = 'email.delivery_delayed';

/**
 * The name under which an endpoint with these `events` gets this event, or null when it does not want it.
 * `email.delivery_delayed` is only another name of a temporary `email.failed`, for endpoints that list it by name;
 * `*` means native names (details §5).
 */
export function webhookEventName(events: readonly string[], event: ServiceEvent): string | null {
  if (isTemporaryFailure(event) && events.includes(DELAYED)) return DELAYED;
  return events.includes(ALL) || events.includes(event.type) ? event.type : null;
}

/** Looks at `data` with care: an event of a later version must not keep the ones behind it from being fanned out. */
function isTemporaryFailure({ type, data }: ServiceEvent): boolean {
  return type === 'email.failed' && (data as { failure_type?: string } | null)?.failure_type === 'temporary';
}

/** The body of a webhook: exactly three fields (D-33), as text that stays the same over all attempts. */
export function webhookBody(name: string, event: ServiceEvent): string {
  return JSON.stringify({ type: name, created_at: event.created_at, data: event.data });
}
