import { Refusal, type Mode, type Permission, type Scope } from '#libs/contracts';
import { AddressRanges } from '#libs/kernel';
import type { ApiKeyEntity } from './api-key.entity.js';

/** A new key; without `permission` and `scopes` it has full access. The values have been checked by the field rules. */
export interface ApiKeyOptions {
  name: string;
  /** `live` if absent. */
  mode?: Mode;
  permission?: Permission | null;
  /** Instead of a permission. */
  scopes?: Scope[] | null;
  /** Ids of domains of the account. */
  domainIds?: string[] | null;
  allowedIps?: string[] | null;
  expiresAt?: Date | null;
}

/** Changes of a key; null removes a restriction. */
export type ApiKeyChange = Partial<Omit<ApiKeyOptions, 'mode'>> & { enabled?: boolean };

type Columns = Partial<
  Pick<ApiKeyEntity, 'name' | 'enabled' | 'permission' | 'scopes' | 'domainIds' | 'allowedIps' | 'expiresAt'>
>;

/** @throws Refusal validation_error if both permission and scopes are given */
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
    ...(allowedIps === undefined ? {} : { allowedIps: allowedIps && [...new Set(allowedIps.map(normalise))] }),
    ...(change.expiresAt === undefined ? {} : { expiresAt: change.expiresAt }),
  };
}

function normalise(text: string): string {
  const range = AddressRanges.normalise(text);
  if (range === null) throw new Error(`"${text}" was not checked by the field rule`);
  return range;
}
