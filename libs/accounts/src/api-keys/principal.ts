import { Refusal, SCOPES, type Permission, type Scope, type Visibility } from '#libs/contracts';
import type { AddressRanges } from '#libs/kernel';
import type { Standing } from '../account.entity.js';

/** The holder of an API key: the visible part of its account, its permissions, and the standing of the account. */
export interface Principal extends Visibility {
  keyId: string;
  /** Null for a key with individual scopes. */
  permission: Permission | null;
  scopes: ReadonlySet<Scope>;
  /** Networks that the key may be used from; null for all. */
  allowedIps: AddressRanges | null;
  expiresAt: Date | null;
  standing: Standing;
}

export const PERMISSION_SCOPES: Readonly<Record<Permission, ReadonlySet<Scope>>> = {
  full_access: new Set(SCOPES),
  sending_access: new Set<Scope>(['emails.send']),
};

/** The scopes of a key with a permission or with individual scopes. */
export function scopesOf(key: { permission: Permission | null; scopes: readonly Scope[] | null }): ReadonlySet<Scope> {
  if (key.scopes !== null) return new Set(key.scopes);
  return key.permission === null ? new Set() : PERMISSION_SCOPES[key.permission];
}

/** @throws Refusal restricted_api_key (403) if the key must not be used from the client's `address` */
export function assertAddress(principal: Pick<Principal, 'allowedIps'>, address: string): void {
  if (principal.allowedIps === null || principal.allowedIps.includes(address)) return;
  throw new Refusal('restricted_api_key', [], 'This API key may not be used from your address.');
}

/** Scopes for changes of data that test and live mail share. */
const LIVE_SCOPES: ReadonlySet<Scope> = new Set<Scope>([
  'domains.write',
  'webhooks.write',
  'suppressions.write',
  'api_keys.write',
  'account.write',
]);

/** @throws Refusal restricted_api_key (403) if the key lacks `scope`, or is a test key and `scope` changes live data */
export function assertScope(principal: Pick<Principal, 'scopes' | 'mode'>, scope: Scope): void {
  if (!principal.scopes.has(scope))
    throw new Refusal('restricted_api_key', [], `This API key lacks the scope ${scope}.`);
  if (principal.mode === 'test' && LIVE_SCOPES.has(scope))
    throw new Refusal('restricted_api_key', [], `A test key cannot use the scope ${scope}.`);
}

/** @throws Refusal restricted_api_key (403) if the key is limited to some of the account's domains */
export function assertWholeAccount({ domainIds }: Pick<Principal, 'domainIds'>): void {
  if (domainIds === null) return;
  throw new Refusal('restricted_api_key', [], 'An API key that is limited to domains may not do that.');
}

/** @throws Refusal account_blocked or account_overdue (403) */
export function assertStanding(principal: Pick<Principal, 'standing'>): void {
  if (principal.standing === 'blocked') throw new Refusal('account_blocked');
  if (principal.standing === 'overdue') throw new Refusal('account_overdue');
}
