import { parseTimestamp, type RefusalDetail } from '#libs/contracts';
import type { SendingDomains } from '#libs/domains';
import { normaliseAddress } from '#libs/mime';
import type { NewSuppression } from '#libs/suppressions';
import { invalidFields } from './invalid-fields.js';
import type { SuppressDto } from './suppressions.dto.js';

/** An entry that somebody makes, from fields that passed their rules. */
export function suppressionFrom(dto: SuppressDto): Omit<NewSuppression, 'accountId'> {
  const { email, reason = null, expires_at: expires = null, domain_id: domainId = null } = dto;
  return {
    address: normaliseAddress(email),
    origin: 'manual',
    reason,
    sourceId: null,
    expiresAt: expires === null ? null : parseTimestamp(expires),
    domainId,
  };
}

/** More would help nobody to mend the request. */
const MOST_UNKNOWN = 100;

/**
 * A foreign domain is answered as one that does not exist.
 * @param given ids of domains, each with its path in the request
 * @throws Refusal `validation_error` naming those that are not the account's
 */
export async function requireOwnDomains(
  domains: SendingDomains,
  accountId: string,
  given: readonly { field: string; id: string | null | undefined }[],
): Promise<void> {
  const known = new Map<string, boolean>();
  const problems: RefusalDetail[] = [];
  for (const { field, id } of given) {
    if (id === null || id === undefined) continue;
    // One after the other: a hundred at once would take the connections from everybody else.
    const own = known.get(id) ?? (await domains.find(accountId, id)) !== null;
    known.set(id, own);
    if (!own) problems.push({ field, code: 'unknown_domain', message: 'must be a domain of this account' });
    if (problems.length === MOST_UNKNOWN) break;
  }
  if (problems.length > 0) throw invalidFields(problems);
}
