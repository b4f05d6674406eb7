import { Refusal, type RefusalDetail } from '#libs/contracts';
import { AddressRanges } from '#libs/kernel';
import type { ApiKeyRow } from '../api-key.resource.js';
import { scopesOf, type Principal } from './principal.js';

export type KeyPermissions = Pick<
  ApiKeyRow,
  'mode' | 'permission' | 'scopes' | 'domain_ids' | 'allowed_ips' | 'expires_at'
>;

/**
 * A key must not create or change a key to have more permissions than itself: no additional scope, domain or network, no
 * later expiry, and no live key by a test key.
 * @throws Refusal restricted_api_key (403) with each field that exceeds the key `by`
 */
export function assertNoEscalation(by: Principal, key: KeyPermissions): void {
  refuse(excess(by, key), 'This API key may not hand out more than it has itself.');
}

/**
 * A key may change and delete only keys without more permissions than itself.
 * @param key as it is before the change
 * @throws Refusal restricted_api_key (403) with each field in which the key exceeds `by`
 */
export function assertManageable(by: Principal, key: KeyPermissions): void {
  refuse(excess(by, key), 'This API key may not change or delete a key that may do more than itself.');
}

type Reach = Pick<Principal, 'accountId' | 'keyId' | 'mode' | 'scopes' | 'domainIds'>;

/**
 * Whether this is another key or account than `before`, or has lost a scope, a domain or the live mode since, so that what was
 * opened then must be closed.
 */
export function isNarrowed(before: Reach, now: Reach): boolean {
  return (
    before.accountId !== now.accountId ||
    before.keyId !== now.keyId ||
    exceedsMode(before, now) ||
    !isSubset(before.scopes, now.scopes) ||
    (now.domainIds !== null && (before.domainIds === null || !isSubset(before.domainIds, now.domainIds)))
  );
}

function excess(by: Principal, key: KeyPermissions): RefusalDetail[] {
  const { domain_ids: domainIds, allowed_ips: allowedIps, expires_at: expiresAt } = key;
  return [
    ...exceeds('mode', exceedsMode(key, by)),
    ...exceeds('scopes', !isSubset(scopesOf(key), by.scopes)),
    ...exceeds('domain_ids', by.domainIds !== null && (domainIds === null || !isSubset(domainIds, by.domainIds))),
    ...exceeds('allowed_ips', by.allowedIps !== null && !isCovered(allowedIps, by.allowedIps)),
    ...exceeds('expires_at', by.expiresAt !== null && (expiresAt === null || expiresAt > by.expiresAt)),
  ];
}

function refuse(details: RefusalDetail[], sentence: string): void {
  if (details.length > 0) throw new Refusal('restricted_api_key', details, sentence);
}

function exceeds(field: string, isExceeded: boolean): RefusalDetail[] {
  return isExceeded ? [{ field, code: 'exceeds_own_key', message: 'must stay within those of the key that asks' }] : [];
}

/** Live contains test. */
const exceedsMode = (key: Pick<Reach, 'mode'>, by: Pick<Reach, 'mode'>): boolean =>
  by.mode === 'test' && key.mode === 'live';

const isSubset = <T>(part: Iterable<T>, whole: ReadonlySet<T>): boolean => [...part].every((one) => whole.has(one));

function isCovered(allowedIps: string[] | null, own: AddressRanges): boolean {
  return allowedIps !== null && own.covers(new AddressRanges(allowedIps));
}
