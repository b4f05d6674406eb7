import { Injectable } from '@nestjs/common';
import type { LoggedEvent, Page, PageRequest } from '#libs/contracts';
import { Database } from '#libs/persistence';
import { LOG_COLUMNS, loggedEvent, type LoggedEventRow } from './logged-event-row.js';

/** What of an account's events is asked for; absent: all. */
export interface HistoryFilter {
  types?: readonly string[];
  /** Of one key, such as `em_…`. */
  key?: string;
  domainId?: string;
}

/** So many events are looked at for one page, whatever the filter leaves of them. */
const LOOKED_AT = 10_000;

type HistoryRow = LoggedEventRow & { looked_at: string; last_id: string | null };

/**
 * All events of one account in the order of the log, oldest first, always PostgreSQL's. A page never takes long: where a
 * filter leaves little of many events, the page is short, says that there is more, and its cursor leads on.
 */
@Injectable()
export class AccountHistory {
  constructor(private readonly database: Database) {}

  /** Null when the cursor is no event of this account. Entries are in the order of the log, for `before` too. */
  async page(accountId: string, request: PageRequest, filter: HistoryFilter = {}): Promise<Page<LoggedEvent> | null> {
    const cursor = request.before ?? request.after;
    const from = cursor === undefined ? 0 : await this.positionOf(accountId, cursor);
    if (from === null) return null;
    const rows = await this.look(
      { accountId, from, isBackwards: request.before !== undefined, ...filter },
      request.limit,
    );
    const [{ looked_at, last_id }] = rows;
    const events = rows.filter(({ event_id }) => event_id !== null).map(loggedEvent);
    const data = events.slice(0, request.limit);
    const isCut = events.length > request.limit;
    const has_more = isCut || Number(looked_at) === LOOKED_AT;
    const next = isCut ? data[data.length - 1].event.id : last_id;
    if (request.before !== undefined) data.reverse();
    return { object: 'list', has_more, data, next_cursor: has_more ? next : null };
  }

  /** Null for an unknown id and for another account's. */
  async find(accountId: string, eventId: string): Promise<LoggedEvent | null> {
    const { rows } = await this.database.query<LoggedEventRow>(
      `SELECT ${LOG_COLUMNS} FROM event_log WHERE event_id = $1 AND account_id = $2`,
      [eventId, accountId],
    );
    return rows.length === 0 ? null : loggedEvent(rows[0]);
  }

  private async positionOf(accountId: string, eventId: string): Promise<number | null> {
    const { rows } = await this.database.query<{ position: string }>(
      'SELECT position FROM event_log WHERE event_id = $1 AND account_id = $2',
      [eventId, accountId],
    );
    return rows.length === 0 ? null : Number(rows[0].position);
  }

  /** At least one row; its event is null where nothing was found. One event more than `limit` says that there is more. */
  private async look(
    of: HistoryFilter & { accountId: string; from: number; isBackwards: boolean },
    limit: number,
  ): Promise<HistoryRow[]> {
    const [compared, order, last] = of.isBackwards ? ['<', 'DESC', 'min'] : ['>', 'ASC', 'max'];
    const columns = LOG_COLUMNS.split(', ').map((name) => `e.${name}`);
    const { rows } = await this.database.query<HistoryRow>(
      `WITH looked AS (
         SELECT position, type, domain_id FROM event_log
          WHERE account_id = $1 AND position ${compared} $2 ${of.key === undefined ? '' : 'AND key = $6'}
          ORDER BY ${of.key === undefined ? 'account_id' : 'key'} ${order}, position ${order} LIMIT ${LOOKED_AT}),
       ends AS (SELECT count(*) AS looked_at, ${last}(position) AS last_position FROM looked),
       chosen AS (
         SELECT position FROM looked
          WHERE ($3::text[] IS NULL OR type = ANY($3)) AND ($4::text IS NULL OR domain_id = $4)
          ORDER BY position ${order} LIMIT $5)
       SELECT ends.looked_at, (SELECT event_id FROM event_log WHERE position = ends.last_position) AS last_id,
              ${columns.join(', ')}
         FROM ends LEFT JOIN chosen ON true LEFT JOIN event_log e ON e.position = chosen.position
        ORDER BY e.position ${order}`,
      [
        of.accountId,
        of.from,
        of.types ?? null,
        of.domainId ?? null,
        limit + 1,
        ...(of.key === undefined ? [] : [of.key]),
      ],
    );
    return rows;
  }
}
