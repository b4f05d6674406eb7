import type { PageRequest } from '#libs/contracts';
import { domainOf, normaliseAddress } from '#libs/mime';
import { SUPPRESSION_COLUMNS } from './store-suppressions.js';
import type { SuppressionOrigin } from './suppression.entity.js';

export interface SuppressionFilter {
  origin?: SuppressionOrigin;
  /** The beginning of an address, or `@` and the whole domain of the addresses. */
  q?: string;
  /** Entries of this sending domain, without those of the whole account. */
  domainId?: string;
  /** Entries that have expired too. */
  expired?: boolean;
}

/** Of more hits the newest are soon met on a walk through all entries; sorting a million takes most of a second. */
const MOST_HITS = 20_000;

/** Sorts after everything that begins with the text before it, in byte order. */
const LAST = '\u{10ffff}';

/**
 * One page of an account's entries, newest first (oldest first for `before`), with one row more than asked for.
 * Each filter has an index in order of ids; only the beginning of an address has not, so there the hits are found first,
 * in an index that has all columns that filters need, and then put in order, unless there are very many.
 */
export function searchQuery(
  accountId: string,
  filter: SuppressionFilter,
  { limit, after, before }: PageRequest,
): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  const $ = (value: unknown) => `$${values.push(value)}`;
  const conditions = [`account_id = ${$(accountId)}`];
  if (after !== undefined) conditions.push(`id < ${$(after)}`);
  if (before !== undefined) conditions.push(`id > ${$(before)}`);
  if (filter.origin !== undefined) conditions.push(`origin = ${$(filter.origin)}`);
  if (filter.domainId !== undefined) conditions.push(`domain_id = ${$(filter.domainId)}`);
  if (filter.expired !== true) conditions.push('(expires_at IS NULL OR expires_at > now())');
  const prefix = filter.q === undefined || filter.q.trim().startsWith('@') ? undefined : normaliseAddress(filter.q);
  if (filter.q !== undefined && prefix === undefined)
    conditions.push(`split_part(address, '@', 2) = ${$(domainOf(filter.q))}`);
  const where = conditions.join(' AND ');
  const order = `ORDER BY id ${before === undefined ? 'DESC' : 'ASC'}`;
  const most = `LIMIT ${$(limit + 1)}`;
  const select = `SELECT ${SUPPRESSION_COLUMNS} FROM suppressions`;
  if (prefix === undefined) return { text: `${select} WHERE ${where} ${order} ${most}`, values };
  const text = `
    WITH hits AS MATERIALIZED (
           SELECT id FROM suppressions
            WHERE ${where} AND address >= ${$(prefix)} AND address < ${$(prefix + LAST)} LIMIT ${MOST_HITS + 1}),
         broad AS MATERIALIZED (SELECT count(*) > ${MOST_HITS} AS yes FROM hits)
    SELECT * FROM (${select} WHERE NOT (SELECT yes FROM broad) AND id IN (SELECT id FROM hits ${order} ${most})) few
     UNION ALL
    SELECT * FROM (${select} WHERE (SELECT yes FROM broad) AND ${where}
                      AND left(address, ${$([...prefix].length)}) = ${$(prefix)} ${order} ${most}) many
    ${order}`;
  return { text, values };
}
