import type { Queryable } from '#libs/persistence';
import { SUPPRESSION_COLUMNS } from './store-suppressions.js';
import type { SuppressionTarget } from './suppression-rules.js';
import type { SuppressionEntity } from './suppression.entity.js';

const BY_ID = `SELECT ${SUPPRESSION_COLUMNS} FROM suppressions WHERE account_id = $1 AND id = ANY ($2::text[])`;
const BY_ADDRESS = `
  SELECT ${SUPPRESSION_COLUMNS} FROM suppressions
   WHERE account_id = $1
     AND (address, coalesce(domain_id, '')) IN (SELECT * FROM unnest($2::text[], $3::text[]))`;

const keyOf = (address: string, domainId: string | null): string => `${address} ${domainId ?? ''}`;

/** The account's entries that are meant, one per target in order; null for one that is not there. Expired ones are. */
export async function readSuppressions(
  db: Queryable,
  accountId: string,
  targets: readonly SuppressionTarget[],
): Promise<(SuppressionEntity | null)[]> {
  const ids = targets.flatMap((target) => ('id' in target ? [target.id] : []));
  const addresses = targets.flatMap((target) => ('id' in target ? [] : [target]));
  const found = new Map<string, SuppressionEntity>();
  if (ids.length > 0) {
    const query = { name: 'suppressions-by-id', text: BY_ID, values: [accountId, ids] };
    for (const row of (await db.query<SuppressionEntity>(query)).rows) found.set(row.id, row);
  }
  if (addresses.length > 0) {
    const values = [accountId, addresses.map(({ address }) => address), addresses.map((one) => one.domainId ?? '')];
    const query = { name: 'suppressions-by-address', text: BY_ADDRESS, values };
    for (const row of (await db.query<SuppressionEntity>(query)).rows) found.set(keyOf(row.address, row.domainId), row);
  }
  return targets.map(
    (target) => found.get('id' in target ? target.id : keyOf(target.address, target.domainId)) ?? null,
  );
}
