import { isId, LIMITS, parseTimestamp, PERMISSIONS, SCOPES } from '#libs/contracts';
import { AddressRanges } from '#libs/kernel';

/** One problem of a field: `path` says where inside it (`''`, `[3]`), `message` follows the field's name. */
export interface ApiKeyProblem {
  path: string;
  code: string;
  message: string;
}
type Rule = (value: unknown) => ApiKeyProblem[];

const none: ApiKeyProblem[] = [];
const one = (code: string, message: string, path = ''): ApiKeyProblem[] => [{ path, code, message }];
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]|\p{Cs}/u;

/** Null is a value that says "no restriction" or "not given". */
const orNull =
  (rule: Rule): Rule =>
  (value) =>
    value === null ? none : rule(value);

export const apiKeyNameRule: Rule = (value) => {
  if (typeof value !== 'string') return one('invalid_type', 'must be a string');
  if (value.trim() === '') return one('too_short', 'must not be empty');
  if (value.length > LIMITS.apiKeyNameLength)
    return one('too_long', `must have at most ${LIMITS.apiKeyNameLength} characters`);
  return CONTROLS.test(value) ? one('invalid_characters', 'must not contain control characters') : none;
};

/** A rule for a list of texts that are told apart by one more rule. */
const listRule = (limits: { most: number; of: string }, entry: (text: string) => string | null): Rule => {
  return (value) => {
    if (!Array.isArray(value)) return one('invalid_type', `must be an array of ${limits.of}`);
    if (value.length === 0) return one('too_few', `must have at least one of the ${limits.of}`);
    if (value.length > limits.most) return one('too_many', `must have at most ${limits.most} ${limits.of}`);
    return value.flatMap((text: unknown, i) => {
      const message = typeof text === 'string' ? entry(text) : 'must be a string';
      return message === null ? none : one('invalid_value', message, `[${i}]`);
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
    : one('invalid_value', `must be one of ${PERMISSIONS.join(', ')}`),
);

export const apiKeyModeRule: Rule = (value) =>
  value === 'live' || value === 'test' ? none : one('invalid_value', 'must be one of live, test');

export const apiKeyEnabledRule: Rule = (value) =>
  typeof value === 'boolean' ? none : one('invalid_type', 'must be true or false');

export const apiKeyExpiryRule = orNull((value) => {
  const at = typeof value === 'string' ? parseTimestamp(value) : null;
  if (at === null)
    return one('invalid_timestamp', 'must be an ISO 8601 timestamp with an offset, such as 2030-01-31T09:30:00Z');
  return at.getTime() > Date.now() ? none : one('in_the_past', 'must be in the future');
});
