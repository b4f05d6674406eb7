import { assertDomainsVisible, visibleDomains, type Visibility } from '#libs/contracts';
import { And, ArrayContainedBy, ArrayOverlap, type FindOptionsWhere } from 'typeorm';
import type { StoredWebhook } from '../webhook.resource.js';

/** A key that is limited to domains sees the endpoints that receive events of these domains only. */
export function visibleWebhooks(
  visibility: Visibility,
): Pick<FindOptionsWhere<StoredWebhook>, 'account_id' | 'domain_ids'> {
  const domainIds = visibleDomains(visibility);
  if (domainIds === null) return { account_id: visibility.accountId };
  // Overlap excludes an empty list, which is contained in every other.
  return { account_id: visibility.accountId, domain_ids: And(ArrayContainedBy(domainIds), ArrayOverlap(domainIds)) };
}

/** The same as a condition on `webhooks`, with `visibleDomains` as parameter `$place`. */
export const webhookIsVisible = (place: number): string =>
  `($${place}::text[] IS NULL OR (domain_ids <@ $${place} AND domain_ids && $${place}))`;

/**
 * @param domainIds the field of a request, which may violate its type; null for all domains
 * @throws Refusal restricted_api_key if the endpoint would receive events of domains that the key does not see
 */
export function assertReceivable(visibility: Visibility, domainIds: unknown): void {
  if (domainIds !== null && !Array.isArray(domainIds)) return;
  const ids: unknown[] = domainIds ?? [null];
  assertDomainsVisible(
    visibility,
    ids.map((id, i) => ({
      field: domainIds === null ? 'domain_ids' : `domain_ids[${i}]`,
      id: typeof id === 'string' ? id : null,
    })),
  );
}
