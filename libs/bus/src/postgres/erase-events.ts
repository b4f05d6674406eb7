import type { AddressErasure, ErasedBatch } from '#libs/contracts';
import type { Queryable } from '#libs/persistence';
import { BATCH_END } from './event-row.js';

/** Rows of the log, of about 64 events each, that one batch reads. */
const SCANNED = 250;

/** A row of the log, and its elements with the address. */
interface FoundRow {
  /** As text, because a Date has no microseconds. */
  moved_at: string;
  ending: string;
  subscripts: number[];
  data: string[];
}

/** The rows of the log with events of account $1 behind position $2, in order. */
const ROWS_OF_ACCOUNT = `
  SELECT batch.*
    FROM (SELECT * FROM event_log_accounts WHERE account_id = $1 AND ${BATCH_END} > $2::bigint + 1
           ORDER BY moved_at, first_position) AS entry
         CROSS JOIN LATERAL (
           SELECT *, ${BATCH_END} AS ending FROM event_log
            WHERE moved_at = entry.moved_at AND ${BATCH_END} > entry.first_position
              AND ${BATCH_END} <= entry.first_position + entry.count
            ORDER BY ${BATCH_END}) AS batch
   WHERE batch.ending > $2::bigint + 1 LIMIT $3`;

/** The elements of $3 take the place of those with the same subscript in row ($1, $2). */
const REWRITE_ROW = `
  UPDATE event_log AS b SET data = (
           SELECT array_agg(coalesce(changed.data::json, each.data) ORDER BY each.subscript)
             FROM unnest(b.data) WITH ORDINALITY AS each (data, subscript)
                  LEFT JOIN unnest($3::bigint[], $4::text[]) AS changed (subscript, data) USING (subscript))
   WHERE moved_at = $1::timestamptz AND ${BATCH_END} = $2`;

/**
 * Replaces an erased address in the events of its account, from the position in `cursor` on ('' for the beginning). Ids,
 * positions and order remain. Reads all events of the account, because an address may be in events of messages to others and
 * of list entries that exist no more.
 */
async function eraseEvents(db: Queryable, erasure: AddressErasure, cursor: string): Promise<ErasedBatch> {
  const { rows } = await db.query<{ last: string | null; scanned: number; found: FoundRow[] }>(
    `WITH scanned AS MATERIALIZED (${ROWS_OF_ACCOUNT}),
     found AS (
       SELECT b.moved_at::text, b.ending::text, array_agg(event.subscript) AS subscripts, array_agg(event.data::text) AS data
         FROM scanned AS b, unnest(b.account_id, b.data) WITH ORDINALITY AS event (account_id, data, subscript)
        WHERE event.account_id = $1
          AND EXISTS (SELECT FROM unnest($4::text[]) AS needle WHERE strpos(lower(event.data::text), needle) > 0)
        GROUP BY b.moved_at, b.ending)
     SELECT (SELECT max(ending) - 1 FROM scanned) AS last, (SELECT count(*)::int FROM scanned) AS scanned,
            (SELECT coalesce(json_agg(found), '[]') FROM found) AS found`,
    [erasure.accountId, cursor === '' ? '0' : cursor, SCANNED, erasure.needles],
  );
  const [{ last, scanned, found }] = rows;
  let erased = 0;
  // Each row once: PostgreSQL rewrites all of its events, whether one of them changes or all.
  for (const { moved_at, ending, subscripts, data } of found) {
    await db.query(REWRITE_ROW, [moved_at, ending, subscripts, data.map((json) => erasure.rewriteEvent(json))]);
    erased += data.length;
  }
  return { rows: erased, cursor: scanned === SCANNED ? last : null };
}

/** The newest row of the outbox; '0' if it is empty. Every event that a committed transaction has appended is at or below it. */
async function newestOutboxRow(db: Queryable): Promise<string> {
  const { rows } = await db.query<{ id: string }>('SELECT coalesce(max(id), 0)::text AS id FROM outbox');
  return rows[0].id;
}

/** Whether the sequencer has moved everything up to a row of the outbox to the log. */
async function isMoved(db: Queryable, outboxRow: string): Promise<boolean> {
  const { rows } = await db.query<{ moved: boolean }>(
    'SELECT NOT EXISTS (SELECT FROM outbox WHERE id <= $1) AS moved',
    [outboxRow],
  );
  return rows[0].moved;
}

/** The same for events that a consumer could not handle, of which there are few. Returns the number of events. */
async function eraseParkedEvents(db: Queryable, erasure: AddressErasure): Promise<number> {
  const { rows } = await db.query<{ id: string; record: string; reason: string }>(
    'SELECT id, record, reason FROM parked_events WHERE account_id = $1',
    [erasure.accountId],
  );
  const changed = rows
    .map(({ id, record, reason }) => ({ id, record: erasure.rewrite(record), reason: erasure.rewrite(reason) }))
    .filter(({ record, reason }, i) => record !== rows[i].record || reason !== rows[i].reason);
  for (const { id, record, reason } of changed)
    await db.query('UPDATE parked_events SET record = $2, reason = $3 WHERE id = $1', [id, record, reason]);
  return changed.length;
}

/** An erasure in the outbox, in the log and in parked events. */
export const eventErasure = { eraseEvents, eraseParkedEvents, isMoved, newestOutboxRow };
