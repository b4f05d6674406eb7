import { parseTimestamp, Refusal } from '#libs/contracts';
import { AddressRanges } from '#libs/kernel';
import type { ApiKeyChange, ApiKeyRow } from '../api-key.resource.js';

type Columns = Partial<
  Pick<ApiKeyRow, 'name' | 'enabled' | 'permission' | 'scopes' | 'domain_ids' | 'allowed_ips' | 'expires_at'>
>;

/** @throws Refusal validation_error if both permission and scopes are given */
export function columnsOf(change: ApiKeyChange): Columns {
  const { name, enabled, permission, scopes, domain_ids: domains, allowed_ips: networks, expires_at: expires } = change;
  if (permission && scopes)
    throw new Refusal(
      'validation_error',
      [{ field: 'scopes', code: 'exclusive', message: 'must not be given together with permission' }],
      'Give either permission or scopes, not both.',
    );
  const columns: Partial<Record<keyof Columns, unknown>> = {
    name,
    enabled,
    ...(permission && { permission, scopes: null }),
    ...(scopes && { permission: null, scopes: distinct(scopes) }),
    domain_ids: domains && distinct(domains),
    allowed_ips: networks && distinct(networks.map(normalise)),
    expires_at: expires && parseTimestamp(expires),
  };
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
}

const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)];

function normalise(text: string): string {
  const range = AddressRanges.normalise(text);
  if (range === null) throw new Error(`"${text}" was not checked by the field rule`);
  return range;
}
