import { Refusal, type Mode, type Permission, type Scope } from '#libs/contracts';
import { AddressRanges } from '#libs/kernel';
import type { ApiKeyEntity } from './api-key.entity.js';

/** What a key is made with; without `permission` and `scopes` it has full access. Values have passed the rules. */
export interface ApiKeyOptions {
  name: string;
  /** `live` if absent. */
  mode?: Mode;
  permission?: Permission | null;
  /** Instead of a permission. */
  scopes?: Scope[] | null;
  /** Ids of domains that the account has. */
  domainIds?: string[] | null;
  allowedIps?: string[] | null;
  expiresAt?: Date | null;
}

/** What of a key is to be different; null takes a restriction away. */
export type ApiKeyChange = Partial<Omit<ApiKeyOptions, 'mode'>> & { enabled?: boolean };

type Columns = Partial<
  Pick<ApiKeyEntity, 'name' | 'enabled' | 'permission' | 'scopes' | 'domainIds' | 'allowedIps' | 'expiresAt'>
>;

/** @throws Refusal validation_error when both permission and scopes are given. */
export function columnsOf(change: ApiKeyChange): Columns {
  const { permission, scopes, domainIds, allowedIps } = change;
  if (permission && scopes)
    throw new Refusal(
      'validation_error',
      [{ field: 'scopes', code: 'exclusive', message: 'must not be given together with permission' }],
      'Give either permission or scopes, not both.',
    );
  return {
    ...(change.name === undefined ? {} : { name: change.name }),
    ...(change.enabled === undefined ? {} : { enabled: change.enabled }),
    ...(permission ? { permission, scopes: null } : {}),
    ...(scopes ? { permission: null, scopes: [...new Set(scopes)] } : {}),
    ...(domainIds === undefined ? {} : { domainIds: domainIds && [...new Set(domainIds)] }),
    ...(allowedIps === undefined ? {} : { allowedIps: allowedIps && [...new Set(allowedIps.map(normalised))] }),
    ...(change.expiresAt === undefined ? {} : { expiresAt: change.expiresAt }),
  };
}

function normalised(written: string): string {
  const range = AddressRanges.normalise(written);
  if (range === null) throw new Error(`"${written}" has not passed the rule`);
  return range;
}
