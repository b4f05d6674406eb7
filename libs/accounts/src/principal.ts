import { SCOPES, type Mode, type Permission, type Scope } from '#libs/contracts';
import type { Standing } from './account.entity.js';

/** Who asks: an API key, with what its account may do right now. */
export interface Principal {
  accountId: string;
  keyId: string;
  mode: Mode;
  permission: Permission;
  scopes: ReadonlySet<Scope>;
  standing: Standing;
}

export const PERMISSION_SCOPES: Readonly<Record<Permission, ReadonlySet<Scope>>> = {
  full_access: new Set(SCOPES),
  sending_access: new Set<Scope>(['emails.send']),
};
