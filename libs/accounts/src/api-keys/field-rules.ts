import {
  isId,
  isLongerThan,
  LIMITS,
  parseTimestamp,
  PERMISSIONS,
  SCOPES,
  type Rule,
  type RuleProblem,
} from '#libs/contracts';
import { AddressRanges, databaseClock } from '#libs/kernel';

const none: RuleProblem[] = [];
const problem = (code: string, message: string, path = ''): RuleProblem[] => [{ path, code, message }];
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]|\p{Cs}/u;

/** Accepts null, which means no restriction or not given. */
const orNull =
  (rule: Rule): Rule =>
  (value) =>
    value === null ? none : rule(value);

export const apiKeyNameRule: Rule = (value) => {
  if (typeof value !== 'string') return problem('invalid_type', 'must be a string');
  if (value.trim() === '') return problem('too_short', 'must not be empty');
  if (isLongerThan(value, LIMITS.apiKeyNameLength))
    return problem('too_long', `must have at most ${LIMITS.apiKeyNameLength} characters`);
  return CONTROLS.test(value) ? problem('invalid_characters', 'must not contain control characters') : none;
};

/** A rule for a list whose entries have a rule of their own. */
const listRule = (limits: { most: number; of: string }, entry: (text: string) => string | null): Rule => {
  return (value) => {
    if (!Array.isArray(value)) return problem('invalid_type', `must be an array of ${limits.of}`);
    if (value.length === 0) return problem('too_few', `must have at least one of the ${limits.of}`);
    if (value.length > limits.most) return problem('too_many', `must have at most ${limits.most} ${limits.of}`);
    return value.flatMap((text: unknown, i) => {
      const message = typeof text === 'string' ? entry(text) : 'must be a string';
      return message === null ? none : problem('invalid_value', message, `[${i}]`);
    });
  };
};

export const apiKeyScopesRule = orNull(
  listRule({ most: SCOPES.length, of: 'scopes' }, (text) =>
    (SCOPES as readonly string[]).includes(text) ? null : `must be one of ${SCOPES.join(', ')}`,
  ),
);

export const apiKeyDomainsRule = orNull(
  listRule({ most: LIMITS.apiKeyDomains, of: 'domain ids' }, (text) =>
    isId('dom', text) ? null : 'must be the id of a domain, such as dom_…',
  ),
);

export const apiKeyAddressesRule = orNull(
  listRule({ most: LIMITS.allowedIps, of: 'networks' }, (text) =>
    AddressRanges.normalise(text) === null
      ? 'must be an IPv4 or IPv6 network without bits behind its prefix, such as 192.0.2.0/24 or 2001:db8::/32'
      : null,
  ),
);

export const apiKeyPermissionRule = orNull((value) =>
  (PERMISSIONS as readonly unknown[]).includes(value)
    ? none
    : problem('invalid_value', `must be one of ${PERMISSIONS.join(', ')}`),
);

export const apiKeyModeRule: Rule = (value) =>
  value === 'live' || value === 'test' ? none : problem('invalid_value', 'must be one of live, test');

export const apiKeyEnabledRule: Rule = (value) =>
  typeof value === 'boolean' ? none : problem('invalid_type', 'must be true or false');

export const apiKeyExpiryRule = orNull((value) => {
  const at = typeof value === 'string' ? parseTimestamp(value) : null;
  if (at === null)
    return problem('invalid_timestamp', 'must be an ISO 8601 timestamp with an offset, such as 2030-01-31T09:30:00Z');
  return at.getTime() > databaseClock.now() ? none : problem('in_the_past', 'must be in the future');
});
