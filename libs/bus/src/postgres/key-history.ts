import { Injectable } from '@nestjs/common';
import type { LoggedEvent, PageRequest } from '#libs/contracts';
import { Database } from '#libs/persistence';
import { LOG_COLUMNS, loggedEvent, type LoggedEventRow } from './logged-event-row.js';

/** The events of one key (a mail, a domain, a webhook) in the log, always PostgreSQL's. */
@Injectable()
export class KeyHistory {
  constructor(private readonly database: Database) {}

  /**
   * Up to `limit + 1` events, for `toPage`: oldest first, from the one right after `after`; newest first from the one
   * right before `before`. A cursor that is no event of this key has nothing on either side.
   */
  async read(of: { accountId: string; key: string }, request: PageRequest): Promise<LoggedEvent[]> {
    const [compared, order] = request.before === undefined ? ['>', 'ASC'] : ['<', 'DESC'];
    const cursor = request.before ?? request.after ?? null;
    const { rows } = await this.database.query<LoggedEventRow>(
      `SELECT ${LOG_COLUMNS} FROM event_log
        WHERE key = $1 AND account_id = $2
          AND ($3::text IS NULL OR position ${compared} (SELECT position FROM event_log WHERE key = $1 AND event_id = $3))
        ORDER BY key ${order}, position ${order} LIMIT $4`,
      [of.key, of.accountId, cursor, request.limit + 1],
    );
    return rows.map(loggedEvent);
  }
}
