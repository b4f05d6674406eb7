import { Injectable } from '@nestjs/common';
import { visibleDomains, type LoggedEvent, type Page, type PageRequest, type Visibility } from '#libs/contracts';
import { Database } from '#libs/persistence';
import { LOG_COLUMNS, toLoggedEvent, type LoggedEventRow } from './event-row.js';

/** Selects events of an account; all if empty. */
export interface HistoryFilter {
  types?: readonly string[];
  /** The id of a message, domain or webhook. */
  key?: string;
  domainId?: string;
}

/** The largest number of events that are scanned for one page. */
const MAX_SCANNED = 10_000;

/** Condition on a row of `event_log` with the values of `eventVisibility` from parameter `$first` on. */
const visibleEvents = (first: number) =>
  `account_id = $${first} AND ($${first + 1}::boolean IS FALSE OR test)
   AND ($${first + 2}::text[] IS NULL OR domain_id = ANY ($${first + 2}))`;

const eventVisibility = (visibility: Visibility) => [
  visibility.accountId,
  visibility.mode === 'test',
  visibleDomains(visibility),
];

type HistoryRow = LoggedEventRow & { scanned: string; last_id: string | null };

/**
 * The events of one account in the order of the log, oldest first, always from PostgreSQL. A page has a bounded cost: if a
 * filter, or what the key sees, matches few of many events, the page is short, `has_more` is true, and its cursor leads on.
 * So the cursor of a page may be any event of the account.
 */
@Injectable()
export class AccountHistory {
  constructor(private readonly database: Database) {}

  /** Null if the cursor is not an event of this account. Entries are in the order of the log, for `before` too. */
  async page(
    visibility: Visibility,
    request: PageRequest,
    filter: HistoryFilter = {},
  ): Promise<Page<LoggedEvent> | null> {
    const cursor = request.before ?? request.after;
    const from = cursor === undefined ? 0 : await this.positionOf(visibility.accountId, cursor);
    if (from === null) return null;
    const rows = await this.scan(
      { visibility, from, isBackwards: request.before !== undefined, ...filter },
      request.limit,
    );
    const [{ scanned, last_id }] = rows;
    const events = rows.filter(({ event_id }) => event_id !== null).map(toLoggedEvent);
    const data = events.slice(0, request.limit);
    const isCut = events.length > request.limit;
    const has_more = isCut || Number(scanned) === MAX_SCANNED;
    const next = isCut ? data[data.length - 1].event.id : last_id;
    if (request.before !== undefined) data.reverse();
    return { object: 'list', has_more, data, next_cursor: has_more ? next : null };
  }

  /** Null for an unknown id and for an event that the key does not see. */
  async find(visibility: Visibility, eventId: string): Promise<LoggedEvent | null> {
    const { rows } = await this.database.query<LoggedEventRow>(
      `SELECT ${LOG_COLUMNS} FROM event_log WHERE event_id = $1 AND ${visibleEvents(2)}`,
      [eventId, ...eventVisibility(visibility)],
    );
    return rows.length === 0 ? null : toLoggedEvent(rows[0]);
  }

  private async positionOf(accountId: string, eventId: string): Promise<number | null> {
    const { rows } = await this.database.query<{ position: string }>(
      'SELECT position FROM event_log WHERE event_id = $1 AND account_id = $2',
      [eventId, accountId],
    );
    return rows.length === 0 ? null : Number(rows[0].position);
  }

  /** At least one row, with a null event if nothing was found. `limit + 1` events mean that there are more. */
  private async scan(
    of: HistoryFilter & { visibility: Visibility; from: number; isBackwards: boolean },
    limit: number,
  ): Promise<HistoryRow[]> {
    const [operator, order, last] = of.isBackwards ? ['<', 'DESC', 'min'] : ['>', 'ASC', 'max'];
    // In the text of the statement: the planner must see that the partial index on test events suffices.
    const ofMode = of.visibility.mode === 'test' ? 'AND test' : '';
    const columns = LOG_COLUMNS.split(', ').map((name) => `e.${name}`);
    const { rows } = await this.database.query<HistoryRow>(
      `WITH candidates AS (
         SELECT position, type, domain_id FROM event_log
          WHERE account_id = $1 AND position ${operator} $2 ${ofMode} ${of.key === undefined ? '' : 'AND key = $7'}
          ORDER BY ${of.key === undefined ? 'account_id' : 'key'} ${order}, position ${order} LIMIT ${MAX_SCANNED}),
       ends AS (SELECT count(*) AS scanned, ${last}(position) AS last_position FROM candidates),
       chosen AS (
         SELECT position FROM candidates
          WHERE ($3::text[] IS NULL OR type = ANY($3)) AND ($4::text IS NULL OR domain_id = $4)
            AND ($5::text[] IS NULL OR domain_id = ANY ($5))
          ORDER BY position ${order} LIMIT $6)
       SELECT ends.scanned, (SELECT event_id FROM event_log WHERE position = ends.last_position) AS last_id,
              ${columns.join(', ')}
         FROM ends LEFT JOIN chosen ON true LEFT JOIN event_log e ON e.position = chosen.position
        ORDER BY e.position ${order}`,
      [
        of.visibility.accountId,
        of.from,
        of.types ?? null,
        of.domainId ?? null,
        visibleDomains(of.visibility),
        limit + 1,
        ...(of.key === undefined ? [] : [of.key]),
      ],
    );
    return rows;
  }
}
