import { Injectable } from '@nestjs/common';
import { LocalNotifications } from '#libs/kernel';
import { Database } from '#libs/persistence';
import type { LoggedEvent } from '#libs/contracts';
import { LogListener } from './log-listener.js';
import { BATCH_END, batchesAfter, endOfBatchWith, EVENTS_OF_BATCH, LOG_COLUMNS, POSITION } from './event-row.js';
import { BATCH_EVENTS, ReadHint, toLoggedEvent, type LoggedEventRow } from './event-row.js';

/** Positions above `after`, up to `upTo`. */
export interface PositionRange {
  after: number;
  upTo: number;
}

/**
 * The log for readers without a stored position (subscriptions, `GET /events`), always from PostgreSQL. A reader with a
 * filter continues from the `head()` before its read, or from the last event if the read was full or went further;
 * otherwise it would scan the events of other accounts again each time.
 */
@Injectable()
export class LiveLog {
  private readonly hint = new ReadHint();

  constructor(
    private readonly database: Database,
    private readonly listener: LogListener,
    private readonly notifications: LocalNotifications,
  ) {}

  /** The position of the newest event, or 0. All events up to it are readable. */
  async head(): Promise<number> {
    const { rows } = await this.database.query<{ position: string }>({
      name: 'bus-log-head',
      text: 'SELECT position FROM event_log_head',
      values: [],
    });
    return Number(rows[0].position);
  }

  /** The position of the oldest event that the log still has, or 0. */
  async oldest(): Promise<number> {
    const { rows } = await this.database.query<{ position: string }>(
      `SELECT first_position AS position FROM event_log ORDER BY ${BATCH_END} LIMIT 1`,
    );
    return Number(rows[0]?.position ?? 0);
  }

  /** The number of events of these types in a range of positions, without those of test messages. */
  async count({ after, upTo }: PositionRange, types: readonly string[]): Promise<number> {
    const { rows } = await this.database.query<{ count: number }>({
      name: 'bus-log-count',
      text: `SELECT count(*)::int AS count
               FROM event_log AS b, unnest(b.type, b.test) WITH ORDINALITY AS event (type, test, subscript)
              WHERE moved_at >= $4 AND ${BATCH_END} > $1::bigint + 1 AND ${BATCH_END} <= ${endOfBatchWith('$2')}
                AND ${POSITION} > $1 AND ${POSITION} <= $2 AND event.type = ANY($3) AND NOT event.test`,
      values: [after, upTo, types, this.hint.since(after)],
    });
    return rows[0].count;
  }

  /** Up to `limit` events with a position above `after`, ascending. */
  async read(
    after: number,
    limit: number,
    filter: { accountId?: string; domainId?: string } = {},
  ): Promise<LoggedEvent[]> {
    // Not a named statement, so that it is planned for the given filter and position.
    const { rows } = await this.database.query<LoggedEventRow>(
      `SELECT ${LOG_COLUMNS} FROM (${batchesAfter('$1', '$5')}) AS b, ${EVENTS_OF_BATCH}
        WHERE ${POSITION} > $1 AND ($3::text IS NULL OR event.account_id = $3) AND ($4::text IS NULL OR event.domain_id = $4)
        LIMIT $2`,
      [after, limit, filter.accountId ?? null, filter.domainId ?? null, this.hint.since(after)],
    );
    this.hint.note(rows);
    return rows.map(toLoggedEvent);
  }

  /**
   * The events after `after` whose keys are wanted, among about `limit` events. Only the keys of the others are read.
   * `upTo`: the position of the last event that was looked at.
   */
  async readKeys(
    after: number,
    limit: number,
    isWanted: (key: string) => boolean,
  ): Promise<{ events: LoggedEvent[]; upTo: number; isAll: boolean }> {
    const batches = Math.ceil(limit / BATCH_EVENTS);
    const { rows } = await this.database.query<{ first: string; moved_at: Date; key: string[] }>({
      name: 'bus-log-keys',
      text: `SELECT first_position AS first, moved_at, key FROM (${batchesAfter('$1', '$3')}) AS b LIMIT $2`,
      values: [after, batches, this.hint.since(after)],
    });
    const wanted: number[] = [];
    let upTo = after;
    for (const { first, key: keys } of rows) {
      const from = Number(first);
      for (let i = Math.max(0, after - from + 1); i < keys.length; i++) if (isWanted(keys[i])) wanted.push(from + i);
      upTo = from + keys.length - 1;
    }
    const isAll = rows.length < batches;
    if (wanted.length === 0) return { events: [], upTo, isAll };
    // Not a named statement: as a constant, the array of positions is hashed.
    const found = await this.database.query<LoggedEventRow>(
      `SELECT ${LOG_COLUMNS} FROM event_log AS b, ${EVENTS_OF_BATCH}
        WHERE moved_at BETWEEN $2 AND $3 AND ${BATCH_END} > $4 AND ${BATCH_END} <= $5 AND ${POSITION} = ANY($1::bigint[])
        ORDER BY position`,
      [wanted, rows[0].moved_at, endOfMillisecond(rows[rows.length - 1].moved_at), wanted[0], upTo + 1],
    );
    this.hint.note(found.rows);
    return { events: found.rows.map(toLoggedEvent), upTo, isAll };
  }

  /**
   * Calls back when any process has added events; returns the function that unsubscribes. A hint: poll every second as
   * well.
   */
  onNewEvents(callback: () => void): () => void {
    this.listener.start();
    return this.notifications.on('log', callback);
  }
}

/** PostgreSQL has microseconds, which are lost in a `Date`. */
const endOfMillisecond = (time: Date): Date => new Date(time.getTime() + 1);
