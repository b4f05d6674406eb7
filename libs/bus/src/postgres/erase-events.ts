import type { AddressErasure, ErasedBatch } from '#libs/contracts';
import type { Queryable } from '#libs/persistence';

/** Events that one batch reads. */
const SCANNED = 5_000;

/**
 * Replaces an erased address in the events of its account, from the position in `cursor` on ('' for the beginning). Ids,
 * positions and order remain. Reads all events of the account, because an address may be in events of messages to others and
 * of list entries that exist no more.
 */
export async function eraseEvents(db: Queryable, erasure: AddressErasure, cursor: string): Promise<ErasedBatch> {
  const { rows } = await db.query<{ position: string; data: string | null; last: string; scanned: number }>(
    `WITH scanned AS MATERIALIZED (
       SELECT position, data FROM event_log WHERE account_id = $1 AND position > $2 ORDER BY position LIMIT $3),
     ends AS (SELECT max(position) AS last, count(*)::int AS scanned FROM scanned),
     found AS (
       SELECT position, data::text AS data FROM scanned
        WHERE EXISTS (SELECT FROM unnest($4::text[]) AS needle WHERE strpos(lower(data::text), needle) > 0))
     SELECT found.position, found.data, ends.last, ends.scanned FROM ends LEFT JOIN found ON true`,
    [erasure.accountId, cursor === '' ? '0' : cursor, SCANNED, erasure.needles],
  );
  const found = rows.filter((row): row is typeof row & { data: string } => row.data !== null);
  if (found.length > 0)
    await db.query(
      `UPDATE event_log e SET data = v.data::json FROM unnest($1::bigint[], $2::text[]) AS v (position, data)
        WHERE e.position = v.position`,
      [found.map(({ position }) => position), found.map(({ data }) => erasure.rewriteEvent(data))],
    );
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
