import { Refusal, type RefusalDetail } from '#libs/contracts';
import { AddressRanges } from '#libs/kernel';
import type { ApiKeyEntity } from './api-key.entity.js';
import { scopesOf, type Principal } from './principal.js';

export type KeyPower = Pick<ApiKeyEntity, 'mode' | 'permission' | 'scopes' | 'domainIds' | 'allowedIps' | 'expiresAt'>;

/**
 * A key hands out nothing that it does not have itself: no further scope, domain or network, no longer life, and no live
 * key for a test key. @throws Refusal restricted_api_key (403) naming each field that goes too far.
 */
export function assertNoMorePower(by: Principal, key: KeyPower): void {
  const details = [
    ...beyond('mode', by.mode === 'test' && key.mode === 'live'),
    ...beyond('scopes', ![...scopesOf(key)].every((scope) => by.scopes.has(scope))),
    ...beyond('domain_ids', by.domainIds !== null && !isSubset(key.domainIds, by.domainIds)),
    ...beyond('allowed_ips', by.allowedIps !== null && !isCovered(key.allowedIps, by.allowedIps)),
    ...beyond('expires_at', by.expiresAt !== null && (key.expiresAt === null || key.expiresAt > by.expiresAt)),
  ];
  if (details.length > 0)
    throw new Refusal('restricted_api_key', details, 'This API key may not hand out more than it has itself.');
}

function beyond(field: string, tooFar: boolean): RefusalDetail[] {
  return tooFar ? [{ field, code: 'exceeds_own_key', message: 'must stay within those of the key that asks' }] : [];
}

function isSubset(domainIds: string[] | null, own: ReadonlySet<string>): boolean {
  return domainIds !== null && domainIds.every((id) => own.has(id));
}

function isCovered(allowedIps: string[] | null, own: AddressRanges): boolean {
  return allowedIps !== null && own.cover(new AddressRanges(allowedIps));
}
