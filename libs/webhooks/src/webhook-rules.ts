import { EVENT_TYPES } from '#libs/contracts';
import { targetUrlProblems } from '#libs/kernel';

/** One problem of a field: `path` says where inside it (`''`, `[3]`), `message` follows the field's name. */
export interface WebhookProblem {
  path: string;
  code: string;
  message: string;
}

const KNOWN_EVENTS: ReadonlySet<string> = new Set(EVENT_TYPES);
const one = (code: string, message: string, path = ''): WebhookProblem[] => [{ path, code, message }];

/**
 * May events be sent to this URL (D-41)? With `allowPrivate` (ALLOW_PRIVATE_WEBHOOKS) http, private addresses and local
 * names are allowed.
 */
export function webhookUrlRule(value: unknown, rules: { allowPrivate: boolean }): WebhookProblem[] {
  return targetUrlProblems(value, rules).map((problem) => ({ path: '', ...problem }));
}

/** At least one kind of event, or `["*"]` for all native kinds (D-32). */
export function webhookEventsRule(value: unknown): WebhookProblem[] {
  if (!Array.isArray(value)) return one('invalid_type', 'must be an array of event kinds');
  if (value.length === 0) return one('too_few', 'must have at least one event kind');
  if (value.length > EVENT_TYPES.length) return one('too_many', `must have at most ${EVENT_TYPES.length} event kinds`);
  if (value.includes('*'))
    return value.length === 1 ? [] : one('not_alone', 'must have no other kind beside "*", which means all of them');
  return value.flatMap((kind: unknown, i) =>
    typeof kind === 'string' && KNOWN_EVENTS.has(kind)
      ? []
      : one('unknown_event', `must be one of ${EVENT_TYPES.join(', ')}`, `[${i}]`),
  );
}
