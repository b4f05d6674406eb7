import { EVENT_TYPES, isId, parseTimestamp, type RuleProblem } from '#libs/contracts';
import { targetUrlProblems } from '#libs/safe-fetch';
import { RESEND_ONLY_EVENTS, type PayloadFormat } from '../fan-out/payload-format.js';
import { DELIVERY_STATUSES, type DeliveryStatus } from '../webhook-event.resource.js';

export const WEBHOOK_DOMAINS_MAXIMUM = 100;
export const OVERLAP_HOURS = { default: 24, maximum: 72 } as const;

const NATIVE_EVENTS: ReadonlySet<string> = new Set(EVENT_TYPES);
const RESEND_EVENTS: ReadonlySet<string> = new Set([...EVENT_TYPES, ...RESEND_ONLY_EVENTS]);
const problem = (code: string, message: string, path = ''): RuleProblem[] => [{ path, code, message }];

/** The target of an endpoint. `allowPrivate` (ALLOW_PRIVATE_WEBHOOKS) permits http, private addresses and local names. */
export function webhookUrlRule(value: unknown, rules: { allowPrivate: boolean }): RuleProblem[] {
  return targetUrlProblems(value, rules).map((found) => ({ path: '', ...found }));
}

/** At least one event type, or `["*"]` for all native types. */
export function webhookEventsRule(value: unknown, format: PayloadFormat = 'native'): RuleProblem[] {
  const known = format === 'resend' ? RESEND_EVENTS : NATIVE_EVENTS;
  if (!Array.isArray(value)) return problem('invalid_type', 'must be an array of event kinds');
  if (value.length === 0) return problem('too_few', 'must have at least one event kind');
  if (value.length > known.size) return problem('too_many', `must have at most ${known.size} event kinds`);
  if (value.includes('*'))
    return value.length === 1
      ? []
      : problem('not_alone', 'must have no other kind beside "*", which means all of them');
  return value.flatMap((kind: unknown, i) =>
    typeof kind === 'string' && known.has(kind)
      ? []
      : problem('unknown_event', `must be "*" alone or one of ${EVENT_TYPES.join(', ')}`, `[${i}]`),
  );
}

/** Null for all domains, or ids of domains. `own`: the domains of the account, if the caller knows them. */
export function webhookDomainsRule(value: unknown, own?: ReadonlySet<string>): RuleProblem[] {
  if (value === null) return [];
  if (!Array.isArray(value)) return problem('invalid_type', 'must be an array of domain ids, or null for all domains');
  if (value.length === 0) return problem('too_few', 'must have at least one domain id; null means all domains');
  if (value.length > WEBHOOK_DOMAINS_MAXIMUM)
    return problem('too_many', `must have at most ${WEBHOOK_DOMAINS_MAXIMUM} domain ids`);
  return value.flatMap((id: unknown, i) => {
    if (typeof id !== 'string' || !isId('dom', id))
      return problem('invalid_id', 'must be an id such as dom_…', `[${i}]`);
    return own === undefined || own.has(id)
      ? []
      : problem('unknown_domain', 'must be a domain of this account', `[${i}]`);
  });
}

export function webhookStatusRule(value: unknown): RuleProblem[] {
  return value === 'enabled' || value === 'disabled' ? [] : problem('invalid_value', 'must be enabled or disabled');
}

export function webhookFlagRule(value: unknown): RuleProblem[] {
  return typeof value === 'boolean' ? [] : problem('invalid_type', 'must be true or false');
}

/** How long the old secret signs beside the new one. */
export function overlapHoursRule(value: unknown): RuleProblem[] {
  const { maximum } = OVERLAP_HOURS;
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= maximum
    ? []
    : problem('out_of_range', `must be a whole number of hours from 0 to ${maximum}`);
}

/** A bound of the time range to replay. */
export function replayTimeRule(value: unknown): RuleProblem[] {
  return typeof value === 'string' && parseTimestamp(value) !== null
    ? []
    : problem('invalid_timestamp', 'must be an ISO 8601 timestamp with an offset, such as 2026-01-31T09:30:00Z');
}

export function replayStatusRule(value: unknown): RuleProblem[] {
  return DELIVERY_STATUSES.includes(value as DeliveryStatus)
    ? []
    : problem('invalid_value', `must be one of ${DELIVERY_STATUSES.join(', ')}`);
}

/** The `next_cursor` of the replay to continue. */
export function replayCursorRule(value: unknown): RuleProblem[] {
  return typeof value === 'string' && isId('dlv', value)
    ? []
    : problem('invalid_cursor', 'must be an id such as dlv_…');
}
