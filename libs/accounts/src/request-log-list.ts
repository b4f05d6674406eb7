import { lowestIdAt, type Page, type PageRequest } from '#libs/contracts';
import type { Queryable } from '#libs/persistence';
import { presentRequest, REQUEST_COLUMNS, type RequestLogRow, type RequestLogView } from './request-log-view.js';

/** Which requests are asked for; absent: all. */
export interface RequestLogFilter {
  /** One status, such as 422. */
  status?: number;
  /** All statuses of a class, 4 for 4xx. */
  statusClass?: number;
  method?: string;
  apiKeyId?: string;
  /** Answered then or later. */
  createdAfter?: Date;
  /** Answered before. */
  createdBefore?: Date;
}

interface Question {
  accountId: string;
  request: PageRequest;
  filter: RequestLogFilter;
}
/** All of one request, or nothing of it where none was found. */
type LookedRow = (RequestLogRow | Record<keyof RequestLogRow, null>) & { looked_at: number; last_id: string | null };

/** So many lines are looked at for one page, whatever the filter leaves of them. */
const LOOKED_AT = 10_000;
const BELOW_ALL = 'log_';
/** `g` follows the hex digits. */
const ABOVE_ALL = 'log_g';

/**
 * One page, by key. It never takes long: where a filter leaves little of many lines, the page is short, says that there
 * is more, and its cursor leads on. Refused requests have an index by class of status.
 */
export async function lookThrough(database: Queryable, question: Question): Promise<Page<RequestLogView>> {
  const { limit, before } = question.request;
  const rows = await look(database, question);
  const [{ looked_at, last_id }] = rows;
  const found = rows.filter((row): row is LookedRow & RequestLogRow => row.id !== null);
  const shown = found.slice(0, limit);
  const isCut = found.length > limit;
  const has_more = isCut || looked_at === LOOKED_AT;
  const next = isCut ? shown[shown.length - 1].id : last_id;
  if (before !== undefined) shown.reverse();
  return { object: 'list', has_more, data: shown.map(presentRequest), next_cursor: has_more ? next : null };
}

/** At least one row; its line is null where nothing was found. One line more than `limit` says that there is more. */
async function look(database: Queryable, { accountId, request, filter }: Question): Promise<LookedRow[]> {
  const { above, below } = idRange(request, filter);
  const [order, last] = request.before === undefined ? ['DESC', 'min'] : ['ASC', 'max'];
  const {
    status,
    statusClass = status === undefined ? undefined : Math.floor(status / 100),
    method,
    apiKeyId,
  } = filter;
  const isFiltered = [statusClass, method, apiKeyId].some((part) => part !== undefined);
  const ofClass =
    statusClass !== undefined && statusClass >= 4 ? `AND status >= 400 AND status / 100 = ${statusClass}` : '';
  const { rows } = await database.query<LookedRow>(
    `WITH looked AS (
       SELECT id, status, method, api_key_id FROM request_log
        WHERE account_id = $1 AND id >= $2 AND id < $3 ${ofClass}
        ORDER BY account_id ${order}, id ${order} LIMIT $4),
     ends AS (SELECT count(*)::int AS looked_at, ${last}(id) AS last_id FROM looked),
     chosen AS (
       SELECT id AS chosen_id FROM looked
        WHERE ($5::int IS NULL OR status = $5) AND ($6::int IS NULL OR status / 100 = $6)
          AND ($7::text IS NULL OR method = $7) AND ($8::text IS NULL OR api_key_id = $8)
        ORDER BY id ${order} LIMIT $9)
     SELECT ends.looked_at, ends.last_id, ${REQUEST_COLUMNS}
       FROM ends LEFT JOIN chosen ON true LEFT JOIN request_log ON account_id = $1 AND id = chosen_id
      ORDER BY id ${order}`,
    [
      accountId,
      above,
      below,
      isFiltered ? LOOKED_AT : request.limit + 1,
      status ?? null,
      statusClass ?? null,
      method ?? null,
      apiKeyId ?? null,
      request.limit + 1,
    ],
  );
  return rows;
}

/** Ids from `above` up to, not including, `below`: an id tells the time of its line to the millisecond. */
function idRange(request: PageRequest, { createdAfter, createdBefore }: RequestLogFilter) {
  const above = [BELOW_ALL];
  const below = [request.after ?? ABOVE_ALL];
  // Nothing can stand between an id and itself with one character more.
  if (request.before !== undefined) above.push(`${request.before}0`);
  if (createdAfter) above.push(lowestIdAt('log', createdAfter));
  if (createdBefore) below.push(lowestIdAt('log', createdBefore));
  return {
    above: above.reduce((a, b) => (a > b ? a : b)),
    below: below.reduce((a, b) => (a < b ? a : b)),
  };
}
