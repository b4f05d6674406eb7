import { Refusal, type Rule, type RuleProblem } from '#libs/contracts';
import { domainToASCII } from 'node:url';
import { getDomain } from 'tldts';

export const TLS_POLICIES = ['opportunistic', 'enforced'] as const;
/** `per_recipient`: each recipient has an SMTP transaction, and so a return path, of its own. */
export const ENVELOPE_POLICIES = ['shared', 'per_recipient'] as const;

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
/** Host name rules (RFC 1123 §2.1) with at least two labels, the last not all digits (it would be an IPv4 address). */
const HOST_NAME = new RegExp(`^(?:${LABEL}\\.)+(?!\\d+$)${LABEL}$`);
const MAX_LENGTH = 253;
/** Names under SERVICE_DOMAIN of the service itself. Names below these are reserved too. */
const RESERVED = ['sim', 'spf', 'bounces', 'track', 'smtp', 'dkim'];

/** True for a name in its stored form: lower-case A-labels without a final dot. */
export function isDomainName(name: string): boolean {
  return name.length <= MAX_LENGTH && HOST_NAME.test(name);
}

/** The stored form of a name as people write it (capitals, umlauts, a final dot); null where it is not a host name. */
export function normaliseDomainName(written: string): string | null {
  const bare = written.trim().replace(/\.$/, '');
  // domainToASCII also accepts percent-encoding, ports and the like, as in the host part of a URL.
  if (bare.length > MAX_LENGTH || /[^\p{L}\p{M}\p{N}.-]/u.test(bare)) return null;
  const name = domainToASCII(bare);
  return isDomainName(name) ? name : null;
}

const problem = (code: string, message: string): RuleProblem[] => [{ path: '', code, message }];

/**
 * A name that can belong to one account. Anybody can register names under a public suffix, including private suffixes such
 * as `github.io`, so nobody owns the suffix itself.
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

const MAX_PATTERNS = 50;
const MAX_PATTERN_CHARACTERS = 200;
// Printable ASCII without spaces, and without a scheme in front.
const LINK_PATTERN = /^(?!https?:)[!-~]+$/i;

/** At most 50 patterns of links: a host, or a host with a path, in both of which `*` stands for any text. */
export const linkPatternsRule: Rule = (value) => {
  if (!Array.isArray(value)) return problem('invalid_type', 'must be an array of strings');
  if (value.length > MAX_PATTERNS) return problem('too_many', `must have at most ${MAX_PATTERNS} patterns`);
  const isValid = value.every(
    (pattern) => typeof pattern === 'string' && pattern.length <= MAX_PATTERN_CHARACTERS && LINK_PATTERN.test(pattern),
  );
  return isValid
    ? []
    : problem(
        'invalid_value',
        `must have patterns such as login.example.com or example.com/reset/*, without a scheme, of at most ${MAX_PATTERN_CHARACTERS} printable ASCII characters`,
      );
};

const MAX_RETENTION_DAYS = 365;

export const retentionDaysRule: Rule = (value) =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_RETENTION_DAYS
    ? []
    : problem('invalid_value', `must be a whole number of days from 1 to ${MAX_RETENTION_DAYS}, or null`);

export const tlsPolicyRule: Rule = oneOf(TLS_POLICIES);

export const envelopePolicyRule: Rule = oneOf(ENVELOPE_POLICIES);

function oneOf(allowed: readonly string[]): Rule {
  return (value) =>
    allowed.some((word) => word === value) ? [] : problem('invalid_value', `must be one of ${allowed.join(', ')}`);
}

/**
 * The stored form of a name that an account may add.
 * @throws Refusal validation_error for names that `domainNameRule` refuses, and for those of the service itself
 */
export function claimableName(written: string, serviceDomain: string): string {
  const [invalid] = domainNameRule(written);
  if (invalid) throw invalidName(invalid);
  const name = normaliseDomainName(written) as string;
  if (RESERVED.some((label) => `.${name}`.endsWith(`.${label}.${serviceDomain}`)))
    throw invalidName({ code: 'reserved_domain', message: 'must not be a name of the service itself' });
  return name;
}

export function invalidName({ code, message }: { code: string; message: string }): Refusal {
  return new Refusal('validation_error', [{ field: 'name', code, message }], `name ${message}.`);
}

/** Names of domains, for libraries and edges that take them. */
export const domainName = { normalise: normaliseDomainName, rule: domainNameRule };
