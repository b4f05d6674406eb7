import { Refusal } from '#libs/contracts';
import { getDomain } from 'tldts';
import { normaliseDomainName } from './domain-name.js';

/** Names under SERVICE_DOMAIN that the service itself answers at; what is below them is its own too. */
const RESERVED = ['sim', 'spf', 'bounces', 'track', 'smtp'];
const FORM = 'must be a domain name such as mail.example.com';

/**
 * The stored form of a name that an account may add.
 * @throws Refusal validation_error for what is no domain name, for a public suffix (`co.uk`, `github.io`: whoever is
 * below it is somebody else) and for the service's own names.
 */
export function claimableName(written: string, serviceDomain: string): string {
  const name = normaliseDomainName(written);
  if (name === null) throw invalidName('invalid_domain', FORM);
  if (getDomain(name, { allowPrivateDomains: true }) === null)
    throw invalidName('public_suffix', 'must not be a public suffix, under which anybody may register a name');
  if (RESERVED.some((label) => `.${name}`.endsWith(`.${label}.${serviceDomain}`)))
    throw invalidName('reserved_domain', 'must not be a name of the service itself');
  return name;
}

export function invalidName(code: string, message: string): Refusal {
  return new Refusal('validation_error', [{ field: 'name', code, message }], `name ${message}.`);
}
