import { Injectable } from '@nestjs/common';
import { Wakeups } from '#libs/kernel';
import { Database } from '#libs/persistence';
import type { LoggedEvent } from '#libs/contracts';
import { LogListener } from './log-listener.js';
import { LOG_COLUMNS, loggedEvent, type LoggedEventRow } from './logged-event-row.js';

/**
 * The log for readers without a stored position (subscriptions, `GET /events`), always PostgreSQL. A filtered reader goes
 * on from `head()` as it was before the read, or from the last event if the read was full or went further; else it
 * would walk over other accounts' events again each time.
 */
@Injectable()
export class LiveLog {
  constructor(
    private readonly database: Database,
    private readonly listener: LogListener,
    private readonly wakeups: Wakeups,
  ) {}

  /** The position of the newest event; 0 while there is none. Everything up to it can be read. */
  async head(): Promise<number> {
    const { rows } = await this.database.query<{ position: string }>({
      name: 'bus-log-head',
      text: 'SELECT position FROM event_log_head',
      values: [],
    });
    return Number(rows[0].position);
  }

  /** Up to `limit` events with a position above `after`, ascending. */
  async read(
    after: number,
    limit: number,
    filter: { accountId?: string; domainId?: string } = {},
  ): Promise<LoggedEvent[]> {
    // Not a named statement: it is planned for the filter and the position at hand.
    const { rows } = await this.database.query<LoggedEventRow>(
      `SELECT ${LOG_COLUMNS} FROM event_log
        WHERE position > $1 AND ($3::text IS NULL OR account_id = $3) AND ($4::text IS NULL OR domain_id = $4)
        ORDER BY position LIMIT $2`,
      [after, limit, filter.accountId ?? null, filter.domainId ?? null],
    );
    return rows.map(loggedEvent);
  }

  /** Calls back after every move of the log, of whatever process; returns what ends it. A hint: look at least each second. */
  onMove(callback: () => void): () => void {
    this.listener.start();
    return this.wakeups.on('log', callback);
  }
}
