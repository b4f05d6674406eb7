import { lowestIdAt, visibleDomains, type Page, type PageRequest, type Visibility } from '#libs/contracts';
import { databaseClock } from '#libs/kernel';
import { startOfDay, type Queryable } from '#libs/persistence';
import { loggedRequest, type RequestLogRow, type RequestLogView } from '../logged-request.resource.js';

/** Selects requests; all if empty. */
export interface RequestLogFilter {
  /** One status, such as 422. */
  status?: number;
  /** All statuses of a class, 4 for 4xx. */
  statusClass?: number;
  method?: string;
  /** Beginning of the path, such as `/emails`. */
  endpoint?: string;
  apiKeyId?: string;
  /** Inclusive. */
  createdAfter?: Date;
  /** Exclusive. */
  createdBefore?: Date;
}

interface ListQuery {
  visibility: Visibility;
  request: PageRequest;
  filter: RequestLogFilter;
  /** Older requests may be deleted already, and are not shown. */
  keptFrom: Date;
}
/** All columns of a request, or null columns if none was found. */
type ScannedRow = (RequestLogRow | Record<keyof RequestLogRow, null>) & { scanned: number; last_id: string | null };

/** The largest number of rows that are scanned for one page. */
const MAX_SCANNED = 10_000;
/**
 * Condition on a row of `request_log` with the values of `requestVisibility` from parameter `$first` on: a key sees the
 * requests of keys that saw no more than it does.
 */
export const visibleRequests = (first: number): string =>
  `($${first}::boolean IS FALSE OR test) AND ($${first + 1}::text[] IS NULL OR domain_ids <@ $${first + 1})`;

export const requestVisibility = (visibility: Visibility): [testOnly: boolean, domainIds: string[] | null] => [
  visibility.mode === 'test',
  visibleDomains(visibility),
];

/**
 * One page in the order of the key. It has a bounded cost: if a filter matches few of many rows, the page is short,
 * `has_more` is true, and its cursor leads on. Requests with an error have an index by class of status.
 */
export async function listRequests(database: Queryable, query: ListQuery): Promise<Page<RequestLogView>> {
  const { limit, before } = query.request;
  const rows = await scan(database, query);
  const [{ scanned, last_id }] = rows;
  const found = rows.filter((row): row is ScannedRow & RequestLogRow => row.id !== null);
  const shown = found.slice(0, limit);
  const isCut = found.length > limit;
  const has_more = isCut || scanned === MAX_SCANNED;
  const next = isCut ? shown[shown.length - 1].id : last_id;
  if (before !== undefined) shown.reverse();
  return {
    object: 'list',
    has_more,
    data: shown.map((row) => loggedRequest.toView(row, { object: 'log' })),
    next_cursor: has_more ? next : null,
  };
}

/** At least one row, with null columns if nothing was found. `limit + 1` requests mean that there are more. */
async function scan(database: Queryable, { visibility, request, filter, keptFrom }: ListQuery): Promise<ScannedRow[]> {
  const { above, below } = idRange(request, filter, keptFrom);
  const [order, last] = request.before === undefined ? ['DESC', 'min'] : ['ASC', 'max'];
  const {
    status,
    statusClass = status === undefined ? undefined : Math.floor(status / 100),
    method,
    endpoint,
    apiKeyId,
  } = filter;
  const visible = requestVisibility(visibility);
  const isFiltered = [...visible, statusClass, method, endpoint, apiKeyId].some(
    (part) => part !== undefined && part !== null && part !== false,
  );
  const ofClass =
    statusClass !== undefined && statusClass >= 4 ? `AND status >= 400 AND status / 100 = ${statusClass}` : '';
  const { rows } = await database.query<ScannedRow>(
    `WITH candidates AS (
       SELECT id, status, method, path, api_key_id, test, domain_ids FROM request_log
        WHERE account_id = $1 AND id >= $2 AND id < $3 ${ofClass}
        ORDER BY account_id ${order}, id ${order} LIMIT $4),
     ends AS (SELECT count(*)::int AS scanned, ${last}(id) AS last_id FROM candidates),
     chosen AS (
       SELECT id AS chosen_id FROM candidates
        WHERE ($5::int IS NULL OR status = $5) AND ($6::int IS NULL OR status / 100 = $6)
          AND ($7::text IS NULL OR method = $7) AND ($8::text IS NULL OR api_key_id = $8)
          AND ($10::text IS NULL OR starts_with(path, $10)) AND ${visibleRequests(11)}
        ORDER BY id ${order} LIMIT $9)
     SELECT ends.scanned, ends.last_id, ${loggedRequest.columns}
       FROM ends LEFT JOIN chosen ON true LEFT JOIN request_log ON account_id = $1 AND id = chosen_id
      ORDER BY id ${order}`,
    [
      visibility.accountId,
      above,
      below,
      isFiltered ? MAX_SCANNED : request.limit + 1,
      status ?? null,
      statusClass ?? null,
      method ?? null,
      apiKeyId ?? null,
      request.limit + 1,
      endpoint ?? null,
      ...visible,
    ],
  );
  return rows;
}

/**
 * Ids from `above` to `below`, exclusive. An id contains the time in milliseconds. The range is that of the partitions: only
 * without the DEFAULT partition, PostgreSQL reads one after the other and stops when the page is full.
 */
function idRange(request: PageRequest, { createdAfter, createdBefore }: RequestLogFilter, keptFrom: Date) {
  const above = [lowestIdAt('log', startOfDay(keptFrom))];
  const below = [
    // Ids are ahead after the clock was set back.
    lowestIdAt('log', startOfDay(databaseClock.latestOf(databaseClock.date()), 2)),
    ...(request.after === undefined ? [] : [request.after]),
  ];
  // The smallest text after the id; no id is equal to it.
  if (request.before !== undefined) above.push(`${request.before}0`);
  if (createdAfter) above.push(lowestIdAt('log', createdAfter));
  if (createdBefore) below.push(lowestIdAt('log', createdBefore));
  return {
    above: above.reduce((a, b) => (a > b ? a : b)),
    below: below.reduce((a, b) => (a < b ? a : b)),
  };
}
