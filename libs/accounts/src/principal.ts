import { SCOPES, type Mode, type Permission, type Scope } from '#libs/contracts';
import type { AddressRanges } from '#libs/kernel';
import type { Standing } from './account.entity.js';

/** Who asks: an API key, with what its account may do right now. */
export interface Principal {
  accountId: string;
  keyId: string;
  mode: Mode;
  /** Null for a key with scopes of its own choice. */
  permission: Permission | null;
  scopes: ReadonlySet<Scope>;
  /** Domains that the key may send from; null: every domain of the account. */
  domainIds: ReadonlySet<string> | null;
  /** Where the key may be used from; null: anywhere. */
  allowedIps: AddressRanges | null;
  expiresAt: Date | null;
  standing: Standing;
}

export const PERMISSION_SCOPES: Readonly<Record<Permission, ReadonlySet<Scope>>> = {
  full_access: new Set(SCOPES),
  sending_access: new Set<Scope>(['emails.send']),
};

/** What a key of this permission, or of these scopes, may do. */
export function scopesOf(key: { permission: Permission | null; scopes: readonly Scope[] | null }): ReadonlySet<Scope> {
  if (key.scopes !== null) return new Set(key.scopes);
  return key.permission === null ? new Set() : PERMISSION_SCOPES[key.permission];
}
