import { getDomain } from 'tldts';
import { TLS_POLICIES } from './domain.entity.js';
import { normaliseDomainName } from './domain-name.js';

/** A problem of a value; `message` reads after the name of its field and says what is allowed. */
interface Problem {
  path: '';
  code: string;
  message: string;
}
type Rule = (value: unknown) => Problem[];

const problem = (code: string, message: string): Problem[] => [{ path: '', code, message }];

/**
 * A name that somebody can have to himself. Below a public suffix, the private ones included (`co.uk`, `github.io`),
 * anybody may register a name: mail from the suffix itself would be nobody's.
 */
export const domainNameRule: Rule = (value) => {
  if (typeof value !== 'string') return problem('invalid_type', 'must be a string');
  const name = normaliseDomainName(value);
  if (name === null) return problem('invalid_domain', 'must be a domain name such as mail.example.com');
  if (getDomain(name, { allowPrivateDomains: true }) === null)
    return problem('public_suffix', 'must not be a public suffix, under which anybody may register a name');
  return [];
};

export const trackingRule: Rule = (value) =>
  typeof value === 'boolean' ? [] : problem('invalid_type', 'must be true or false');

export const tlsPolicyRule: Rule = (value) =>
  TLS_POLICIES.some((policy) => policy === value)
    ? []
    : problem('invalid_value', `must be one of ${TLS_POLICIES.join(', ')}`);
