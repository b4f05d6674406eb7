import { Injectable } from '@nestjs/common';
import type { PageRequest, RoutedEvent } from '#libs/contracts';
import { Database } from '#libs/persistence';
import { EVENT_COLUMNS, routedEventOf, type EventRow } from './logged-event-row.js';

/** So many portions of the outbox are looked at. More wait only while no sequencer moves them. */
const PORTIONS = 1_000;

/** One snapshot of log and outbox: the sequencer moves an event from one to the other in one transaction. */
const TOLD = `
  SELECT ${EVENT_COLUMNS} FROM event_log WHERE key = $1 AND account_id = $2
  UNION ALL
  SELECT event.*
    FROM (SELECT * FROM outbox_portions ORDER BY id LIMIT ${PORTIONS}) AS waiting,
         unnest(${EVENT_COLUMNS}) AS event (${EVENT_COLUMNS})
   WHERE $1 = ANY (waiting.key) AND event.key = $1 AND event.account_id = $2`;

/**
 * The events of one key (a mail, a domain, a webhook), always PostgreSQL's. Those that still wait for their place in the
 * log are among them: who has read that a mail is delivered finds the event that says so.
 */
@Injectable()
export class KeyHistory {
  constructor(private readonly database: Database) {}

  /**
   * Up to `limit + 1` events, for `toPage`: oldest first, from the one right after `after`; newest first from the one
   * right before `before`. A cursor that is no event of this key has nothing on either side.
   */
  async read(of: { accountId: string; key: string }, request: PageRequest): Promise<RoutedEvent[]> {
    const [compared, order] = request.before === undefined ? ['>', 'ASC'] : ['<', 'DESC'];
    const cursor = request.before ?? request.after ?? null;
    const { rows } = await this.database.query<EventRow>(
      `WITH told AS (${TOLD})
       SELECT ${EVENT_COLUMNS} FROM told
        WHERE $3::text IS NULL OR sequence ${compared} (SELECT sequence FROM told WHERE event_id = $3)
        ORDER BY sequence ${order} LIMIT $4`,
      [of.key, of.accountId, cursor, request.limit + 1],
    );
    return rows.map(routedEventOf);
  }
}
