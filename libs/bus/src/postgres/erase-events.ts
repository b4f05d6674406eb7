import type { AddressErasure, ErasedBatch } from '#libs/contracts';
import type { Queryable } from '#libs/persistence';
import { BATCH_END, POSITION } from './event-row.js';

/** Events that one batch reads. */
const SCANNED = 5_000;

/** An element of a batch; `data` is null if no event was found. */
interface FoundEvent {
  /** As text, because a Date has no microseconds. */
  moved_at: string;
  ending: string;
  subscript: string;
  data: string | null;
}

/** The batches with events of account $1 behind position $2, in order. */
const BATCHES_OF_ACCOUNT = `
  SELECT batch.*
    FROM (SELECT * FROM event_log_accounts WHERE account_id = $1 AND ${BATCH_END} > $2::bigint + 1
           ORDER BY moved_at, first_position) AS entry
         CROSS JOIN LATERAL (
           SELECT *, ${BATCH_END} AS ending FROM event_log
            WHERE moved_at = entry.moved_at AND ${BATCH_END} > entry.first_position
              AND ${BATCH_END} <= entry.first_position + entry.count
            ORDER BY ${BATCH_END}) AS batch`;

/**
 * Replaces an erased address in the events of its account, from the position in `cursor` on ('' for the beginning). Ids,
 * positions and order remain. Reads all events of the account, because an address may be in events of messages to others and
 * of list entries that exist no more.
 */
export async function eraseEvents(db: Queryable, erasure: AddressErasure, cursor: string): Promise<ErasedBatch> {
  const { rows } = await db.query<FoundEvent & { last: string; scanned: number }>(
    `WITH scanned AS MATERIALIZED (
       SELECT b.moved_at, b.ending, event.subscript, ${POSITION} AS position, event.data
         FROM (${BATCHES_OF_ACCOUNT}) AS b, unnest(b.account_id, b.data) WITH ORDINALITY AS event (account_id, data, subscript)
        WHERE event.account_id = $1 AND ${POSITION} > $2 LIMIT $3),
     ends AS (SELECT max(position) AS last, count(*)::int AS scanned FROM scanned),
     found AS (
       SELECT moved_at::text, ending, subscript, data::text AS data FROM scanned
        WHERE EXISTS (SELECT FROM unnest($4::text[]) AS needle WHERE strpos(lower(data::text), needle) > 0))
     SELECT found.*, ends.last, ends.scanned FROM ends LEFT JOIN found ON true`,
    [erasure.accountId, cursor === '' ? '0' : cursor, SCANNED, erasure.needles],
  );
  const found = rows.filter((row): row is typeof row & { data: string } => row.data !== null);
  // One by one: two events may be elements of the same row.
  for (const { moved_at, ending, subscript, data } of found)
    await db.query(`UPDATE event_log SET data[$3] = $4::json WHERE moved_at = $1::timestamptz AND ${BATCH_END} = $2`, [
      moved_at,
      ending,
      subscript,
      erasure.rewriteEvent(data),
    ]);
  const [{ last, scanned }] = rows;
  return { rows: found.length, cursor: scanned === SCANNED ? last : null };
}

/** The newest row of the outbox; '0' if it is empty. Every event that a committed transaction has appended is at or below it. */
export async function newestOutboxRow(db: Queryable): Promise<string> {
  const { rows } = await db.query<{ id: string }>('SELECT coalesce(max(id), 0)::text AS id FROM outbox');
  return rows[0].id;
}

/** Whether the sequencer has moved everything up to a row of the outbox to the log. */
export async function isMoved(db: Queryable, outboxRow: string): Promise<boolean> {
  const { rows } = await db.query<{ moved: boolean }>(
    'SELECT NOT EXISTS (SELECT FROM outbox WHERE id <= $1) AS moved',
    [outboxRow],
  );
  return rows[0].moved;
}

/** The same for events that a consumer could not handle, of which there are few. Returns the number of events. */
export async function eraseParkedEvents(db: Queryable, erasure: AddressErasure): Promise<number> {
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
