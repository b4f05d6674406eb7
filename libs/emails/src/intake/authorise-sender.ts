import { Refusal, wholeAccount } from '#libs/contracts';
import type { ActiveDomain, SendingDomains } from '#libs/domains';
import { domainOf } from '#libs/mime';
import type { Submission } from './submission.js';

/**
 * Returns the verified sending domain of the From address.
 * @throws Refusal `restricted_api_key` if the API key may not send from the domain, `sender_domain_not_verified`.
 */
export async function authoriseSender(domains: SendingDomains, submission: Submission): Promise<ActiveDomain> {
  const name = domainOf(submission.from.address);
  const { accountId, allowedDomains = null } = submission;
  const domain = await domains.active(accountId, name);
  if (allowedDomains !== null && !allowedDomains.has(domain?.id ?? (await idOf(domains, accountId, name))))
    throw new Refusal(
      'restricted_api_key',
      [{ field: 'from', code: 'domain_not_allowed', message: 'must have an address at a domain of this API key' }],
      `This API key may not send from ${name}.`,
    );
  if (domain) return domain;
  throw new Refusal(
    'sender_domain_not_verified',
    [
      {
        field: 'from',
        code: 'domain_not_verified',
        message: `must have an address at a verified domain of this account; ${name} is not one`,
      },
    ],
    `The domain ${name} is not verified for this account. Add it and publish its SPF, DKIM and DMARC records first.`,
  );
}

/** The id of a domain in any state: the restriction of the key is checked before the state of the domain. */
async function idOf(domains: SendingDomains, accountId: string, name: string): Promise<string> {
  const all = await domains.list(wholeAccount(accountId));
  return all.find((domain) => domain.name === name)?.id ?? '';
}
