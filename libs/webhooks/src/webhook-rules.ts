import { EVENT_TYPES, isId, parseTimestamp } from '#libs/contracts';
import { targetUrlProblems } from '#libs/kernel';
import { DELIVERY_STATUSES, type DeliveryStatus } from './webhook-event-view.js';
import { RESEND_ONLY_EVENTS, type WebhookFlavour } from './webhook-flavour.js';

/** One problem of a field: `path` says where inside it (`''`, `[3]`), `message` follows the field's name. */
export interface WebhookProblem {
  path: string;
  code: string;
  message: string;
}

export const WEBHOOK_DOMAINS_MAXIMUM = 100;
export const OVERLAP_HOURS = { default: 24, maximum: 72 } as const;

const NATIVE_EVENTS: ReadonlySet<string> = new Set(EVENT_TYPES);
const RESEND_EVENTS: ReadonlySet<string> = new Set([...EVENT_TYPES, ...RESEND_ONLY_EVENTS]);
const one = (code: string, message: string, path = ''): WebhookProblem[] => [{ path, code, message }];

/**
 * May events be sent to this URL (D-41)? With `allowPrivate` (ALLOW_PRIVATE_WEBHOOKS) http, private addresses and local
 * names are allowed.
 */
export function webhookUrlRule(value: unknown, rules: { allowPrivate: boolean }): WebhookProblem[] {
  return targetUrlProblems(value, rules).map((problem) => ({ path: '', ...problem }));
}

/** At least one kind of event, or `["*"]` for all native kinds (D-32). */
export function webhookEventsRule(value: unknown, flavour: WebhookFlavour = 'native'): WebhookProblem[] {
  const known = flavour === 'resend' ? RESEND_EVENTS : NATIVE_EVENTS;
  if (!Array.isArray(value)) return one('invalid_type', 'must be an array of event kinds');
  if (value.length === 0) return one('too_few', 'must have at least one event kind');
  if (value.length > known.size) return one('too_many', `must have at most ${known.size} event kinds`);
  if (value.includes('*'))
    return value.length === 1 ? [] : one('not_alone', 'must have no other kind beside "*", which means all of them');
  return value.flatMap((kind: unknown, i) =>
    typeof kind === 'string' && known.has(kind)
      ? []
      : one('unknown_event', `must be "*" alone or one of ${EVENT_TYPES.join(', ')}`, `[${i}]`),
  );
}

/** Null for all domains, or ids of domains; `own` are those that the account has, where the caller knows them. */
export function webhookDomainsRule(value: unknown, own?: ReadonlySet<string>): WebhookProblem[] {
  if (value === null) return [];
  if (!Array.isArray(value)) return one('invalid_type', 'must be an array of domain ids, or null for all domains');
  if (value.length === 0) return one('too_few', 'must have at least one domain id; null means all domains');
  if (value.length > WEBHOOK_DOMAINS_MAXIMUM)
    return one('too_many', `must have at most ${WEBHOOK_DOMAINS_MAXIMUM} domain ids`);
  return value.flatMap((id: unknown, i) => {
    if (typeof id !== 'string' || !isId('dom', id)) return one('invalid_id', 'must be an id such as dom_…', `[${i}]`);
    return own === undefined || own.has(id) ? [] : one('unknown_domain', 'must be a domain of this account', `[${i}]`);
  });
}

export function webhookStatusRule(value: unknown): WebhookProblem[] {
  return value === 'enabled' || value === 'disabled' ? [] : one('invalid_value', 'must be enabled or disabled');
}

/** How long the old secret goes on signing beside the new one (D-37). */
export function overlapHoursRule(value: unknown): WebhookProblem[] {
  const { maximum } = OVERLAP_HOURS;
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= maximum
    ? []
    : one('out_of_range', `must be a whole number of hours from 0 to ${maximum}`);
}

/** An end of the range of time that is to be replayed. */
export function replayTimeRule(value: unknown): WebhookProblem[] {
  return typeof value === 'string' && parseTimestamp(value) !== null
    ? []
    : one('invalid_timestamp', 'must be an ISO 8601 timestamp with an offset, such as 2026-01-31T09:30:00Z');
}

export function replayStatusRule(value: unknown): WebhookProblem[] {
  return DELIVERY_STATUSES.includes(value as DeliveryStatus)
    ? []
    : one('invalid_value', `must be one of ${DELIVERY_STATUSES.join(', ')}`);
}

/** Where the last call of the same replay ended. */
export function replayCursorRule(value: unknown): WebhookProblem[] {
  return typeof value === 'string' && isId('dlv', value) ? [] : one('invalid_cursor', 'must be an id such as dlv_…');
}
