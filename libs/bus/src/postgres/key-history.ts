import { Injectable } from '@nestjs/common';
import type { PageRequest, RoutedEvent } from '#libs/contracts';
import { Database } from '#libs/persistence';
import { EVENT_COLUMNS, toRoutedEvent, type EventRow } from './event-row.js';

/** Rows of the outbox that are searched. There are more only while no sequencer runs. */
const MAX_OUTBOX_ROWS = 1_000;

/** One snapshot of log and outbox: the sequencer moves an event between them in one transaction. */
const EVENTS = `
  SELECT ${EVENT_COLUMNS} FROM event_log WHERE key = named.key AND account_id = $2
  UNION ALL
  SELECT event.*
    FROM (SELECT * FROM outbox ORDER BY id LIMIT ${MAX_OUTBOX_ROWS}) AS waiting,
         unnest(${EVENT_COLUMNS}) AS event (${EVENT_COLUMNS})
   WHERE named.key = ANY (waiting.key) AND event.key = named.key AND event.account_id = $2`;

/**
 * The events of one key (a message, domain or webhook), always from PostgreSQL. Includes events that are still in the
 * outbox, so that a client that has seen the status `delivered` also finds the event for it.
 */
@Injectable()
export class KeyHistory {
  constructor(private readonly database: Database) {}

  /**
   * Up to `limit + 1` events, for `toPage`: oldest first from the one after `after`, or newest first from the one before
   * `before`. Empty for a cursor that is not an event of this key.
   */
  async read(of: { accountId: string; key: string }, request: PageRequest): Promise<RoutedEvent[]> {
    return (await this.readAll({ accountId: of.accountId, keys: [of.key] }, request)).get(of.key) ?? [];
  }

  /** As `read`, for several keys with one statement. */
  async readAll(
    of: { accountId: string; keys: readonly string[] },
    request: PageRequest,
  ): Promise<Map<string, RoutedEvent[]>> {
    const [operator, order] = request.before === undefined ? ['>', 'ASC'] : ['<', 'DESC'];
    const cursor = request.before ?? request.after ?? null;
    const { rows } = await this.database.query<EventRow>(
      `SELECT found.* FROM unnest($1::text[]) AS named (key) CROSS JOIN LATERAL (
         WITH events AS (${EVENTS})
         SELECT ${EVENT_COLUMNS} FROM events
          WHERE $3::text IS NULL OR sequence ${operator} (SELECT sequence FROM events WHERE event_id = $3)
          ORDER BY sequence ${order} LIMIT $4) AS found
       ORDER BY found.sequence ${order}`,
      [of.keys, of.accountId, cursor, request.limit + 1],
    );
    const byKey = new Map<string, RoutedEvent[]>(of.keys.map((key) => [key, []]));
    for (const row of rows) byKey.get(row.key)?.push(toRoutedEvent(row));
    return byKey;
  }
}
