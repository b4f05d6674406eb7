import type { Engine } from '../engine.js';
import { uuidOf } from '../event-row.js';
import type { MetricsQuery } from '../metrics-query.js';
import { groupsTable, LEVELS, OTHER_KEYS } from '../schema/tables.js';

/** Whether roll-ups lack some tag keys of this time, perhaps the one of the query. */
export async function lacksTagKeys(
  engine: Engine,
  { visibility, from, to, groupBy }: Pick<MetricsQuery, 'visibility' | 'from' | 'to' | 'groupBy'>,
): Promise<boolean> {
  if (!groupBy[0].startsWith('tag:')) return false;
  const rows = await engine.select({
    query: `SELECT 1 FROM ${groupsTable('day')} WHERE account_id = {account:UUID} AND dimension = '${OTHER_KEYS}'
               AND period >= toDateTime({from:UInt32}, 'UTC') AND period < toDateTime({to:UInt32}, 'UTC') LIMIT 1`,
    params: {
      account: uuidOf(visibility.accountId) ?? '',
      from: (Math.floor(from.getTime() / LEVELS.day) * LEVELS.day) / 1_000,
      to: Math.ceil(to.getTime() / 1_000),
    },
  });
  return rows.length > 0;
}
