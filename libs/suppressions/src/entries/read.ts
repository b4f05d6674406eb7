import { visibleDomains, type Visibility } from '#libs/contracts';
import type { Queryable } from '#libs/persistence';
import type { SuppressionTarget } from './field-rules.js';
import { suppression, type SuppressionRow } from '../suppression.resource.js';

/** The parameters are the account and `visibleDomains`: a key that is limited to domains sees their entries and those of the account. */
export const VISIBLE_ENTRIES = '($2::text[] IS NULL OR domain_id IS NULL OR domain_id = ANY ($2))';

const BY_ID = `
  SELECT ${suppression.columns} FROM suppressions WHERE account_id = $1 AND ${VISIBLE_ENTRIES} AND id = ANY ($3::text[])`;
const BY_ADDRESS = `
  SELECT ${suppression.columns} FROM suppressions
   WHERE account_id = $1 AND ${VISIBLE_ENTRIES}
     AND (address, coalesce(domain_id, '')) IN (SELECT * FROM unnest($3::text[], $4::text[]))`;

const keyOf = (address: string, domainId: string | null): string => `${address} ${domainId ?? ''}`;

export interface ReadOptions {
  visibility: Visibility;
  /** The addresses of entries that may stand for an erased address; absent: erased entries are found by their id only. */
  erasedAs?: (address: string) => string[];
}

/** One entry per target, in their order; null if there is none. Includes expired entries, and the erased entry of an address. */
export async function readSuppressions(
  db: Queryable,
  { visibility, erasedAs = () => [] }: ReadOptions,
  targets: readonly SuppressionTarget[],
): Promise<(SuppressionRow | null)[]> {
  const formsOf = (address: string) => [address, ...erasedAs(address)];
  const visible = [visibility.accountId, visibleDomains(visibility)];
  const ids = targets.flatMap((target) => ('id' in target ? [target.id] : []));
  const addresses = targets.flatMap((target) => ('id' in target ? [] : [target]));
  const found = new Map<string, SuppressionRow>();
  if (ids.length > 0) {
    const query = { name: 'suppressions-by-id', text: BY_ID, values: [...visible, ids] };
    for (const row of (await db.query<SuppressionRow>(query)).rows) found.set(row.id, row);
  }
  if (addresses.length > 0) {
    const named = addresses.flatMap((one) => formsOf(one.address).map((address) => ({ ...one, address })));
    const values = [...visible, named.map(({ address }) => address), named.map((one) => one.domainId ?? '')];
    const query = { name: 'suppressions-by-address', text: BY_ADDRESS, values };
    for (const row of (await db.query<SuppressionRow>(query)).rows) found.set(keyOf(row.address, row.domain_id), row);
  }
  const entryOf = ({ address, domainId }: Exclude<SuppressionTarget, { id: string }>) =>
    formsOf(address)
      .map((form) => found.get(keyOf(form, domainId)))
      .find((row) => row !== undefined);
  return targets.map((target) => ('id' in target ? found.get(target.id) : entryOf(target)) ?? null);
}
