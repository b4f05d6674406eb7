import { visibleDomains, type PageRequest, type Visibility } from '#libs/contracts';
import { domainOf, normaliseAddress } from '#libs/mime';
import { suppression, type SuppressionOrigin } from '../suppression.resource.js';

export interface SuppressionFilter {
  origin?: SuppressionOrigin;
  /** The start of an address, or `@` and the complete domain. */
  q?: string;
  /** Part of an address or of a reason; case-insensitive. */
  search?: string;
  /** Entries of this sending domain, without those of the account. */
  domainId?: string;
  /** Only entries up to this one, in the direction of the page. */
  upTo?: string;
  /** Includes expired entries. */
  expired?: boolean;
}

/** With more hits, a scan in the order of ids finds the newest soon; sorting a million takes most of a second. */
const MAX_SORTED_HITS = 20_000;

/** A suffix that sorts after all continuations of a prefix, in byte order. */
const LAST = '\u{10ffff}';

interface Statement {
  text: string;
  values: unknown[];
}

/**
 * SQL for a page of an account's entries, newest first (oldest first for `before`), with one row more than the limit.
 * Each filter has an index in the order of ids, except the start of an address: there the hits are found first, in an
 * index with all columns that the filters need, and then sorted, unless there are very many. A key that is limited to
 * domains gets the merged pages of their entries and of those of the account.
 */
export function searchQuery(visibility: Visibility, filter: SuppressionFilter, page: PageRequest): Statement {
  const values: unknown[] = [];
  const $ = (value: unknown) => `$${values.push(value)}`;
  const conditions = filterConditions(visibility, { filter, page, $ });
  const order = `ORDER BY id ${page.before === undefined ? 'DESC' : 'ASC'}`;
  const limited = `LIMIT ${$(page.limit + 1)}`;
  const select = `SELECT ${suppression.columns} FROM suppressions`;
  const prefix = prefixOf(filter);
  const domainIds = filter.domainId === undefined ? visibleDomains(visibility) : null;
  if (prefix !== undefined && domainIds !== null)
    conditions.push(`(domain_id IS NULL OR domain_id = ANY (${$(domainIds)}::text[]))`);
  const where = conditions.join(' AND ');
  if (prefix !== undefined)
    return {
      text: `
        WITH hits AS MATERIALIZED (
               SELECT id FROM suppressions
                WHERE ${where} AND address >= ${$(prefix)} AND address < ${$(prefix + LAST)} LIMIT ${MAX_SORTED_HITS + 1}),
             broad AS MATERIALIZED (SELECT count(*) > ${MAX_SORTED_HITS} AS yes FROM hits)
        SELECT * FROM (${select} WHERE NOT (SELECT yes FROM broad) AND id IN (SELECT id FROM hits ${order} ${limited})) few
         UNION ALL
        SELECT * FROM (${select} WHERE (SELECT yes FROM broad) AND ${where}
                          AND left(address, ${$([...prefix].length)}) = ${$(prefix)} ${order} ${limited}) many
        ${order}`,
      values,
    };
  if (domainIds === null) return { text: `${select} WHERE ${where} ${order} ${limited}`, values };
  const pageOf = (entries: string) => `(${select} WHERE ${where} AND ${entries} ${order} ${limited})`;
  return {
    text: `
      ${pageOf('domain_id IS NULL')}
       UNION ALL
      SELECT entries.* FROM unnest(${$(domainIds)}::text[]) AS own (id)
       CROSS JOIN LATERAL ${pageOf('domain_id = own.id')} AS entries
      ${order} ${limited}`,
    values,
  };
}

/** Entries that a page of a search examines; a rare text may then give a short page. */
const EXAMINED = 20_000;

/** Finds the entry at which a page of a search ends: its id; no row if it reaches to the end. */
export function searchEndQuery({ accountId }: Visibility, page: PageRequest): Statement {
  const isForward = page.before === undefined;
  return {
    text: `SELECT id FROM suppressions WHERE account_id = $1 AND id ${isForward ? '<' : '>'} $2
            ORDER BY account_id ${isForward ? 'DESC' : 'ASC'}, id ${isForward ? 'DESC' : 'ASC'} OFFSET ${EXAMINED - 1} LIMIT 1`,
    values: [accountId, isForward ? (page.after ?? LAST) : page.before],
  };
}

/** The start of an address that the filter names, normalised. */
const prefixOf = ({ q }: SuppressionFilter): string | undefined =>
  q === undefined || q.trim().startsWith('@') ? undefined : normaliseAddress(q);

/** Without those of a prefix. `$` adds a parameter. */
function filterConditions(
  { accountId }: Visibility,
  of: { filter: SuppressionFilter; page: PageRequest; $: (value: unknown) => string },
): string[] {
  const { filter, page, $ } = of;
  const conditions = [`account_id = ${$(accountId)}`];
  if (page.after !== undefined) conditions.push(`id < ${$(page.after)}`);
  if (page.before !== undefined) conditions.push(`id > ${$(page.before)}`);
  if (filter.upTo !== undefined) conditions.push(`id ${page.before === undefined ? '>=' : '<='} ${$(filter.upTo)}`);
  if (filter.search !== undefined)
    conditions.push(`strpos(lower(concat_ws(E'\\n', address, reason)), lower(${$(filter.search)})) > 0`);
  if (filter.origin !== undefined) conditions.push(`origin = ${$(filter.origin)}`);
  if (filter.domainId !== undefined) conditions.push(`domain_id = ${$(filter.domainId)}`);
  if (filter.expired !== true) conditions.push('(expires_at IS NULL OR expires_at > now())');
  if (filter.q !== undefined && prefixOf(filter) === undefined)
    conditions.push(`split_part(address, '@', -1) = ${$(domainOf(filter.q))}`);
  return conditions;
}
