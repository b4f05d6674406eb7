import { Refusal } from '#libs/contracts';
import { normaliseDomainName } from './domain-name.js';
import { domainNameRule } from './domain-rules.js';

/** Names under SERVICE_DOMAIN that the service itself answers at; what is below them is its own too. */
const RESERVED = ['sim', 'spf', 'bounces', 'track', 'smtp', 'dkim'];

/**
 * The stored form of a name that an account may add.
 * @throws Refusal validation_error for what `domainNameRule` refuses, and for the service's own names.
 */
export function claimableName(written: string, serviceDomain: string): string {
  const [problem] = domainNameRule(written);
  if (problem) throw invalidName(problem);
  const name = normaliseDomainName(written) as string;
  if (RESERVED.some((label) => `.${name}`.endsWith(`.${label}.${serviceDomain}`)))
    throw invalidName({ code: 'reserved_domain', message: 'must not be a name of the service itself' });
  return name;
}

export function invalidName({ code, message }: { code: string; message: string }): Refusal {
  return new Refusal('validation_error', [{ field: 'name', code, message }], `name ${message}.`);
}
