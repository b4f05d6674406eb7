import type { Queryable } from '#libs/persistence';

/** Deliveries that one statement deletes: it must not hold locks for long, or keep the dead rows of a long one. */
const DELETED_AT_ONCE = 1_000;

/** Rows that are locked at the moment, by a settle for example, are left to the next call. */
const DELETE_PENDING = `
  WITH waiting AS MATERIALIZED (
         SELECT id FROM webhook_deliveries WHERE webhook_id = $1 AND status = 'pending'
          LIMIT ${DELETED_AT_ONCE} FOR UPDATE SKIP LOCKED),
       attempts AS (DELETE FROM webhook_attempts a USING waiting WHERE a.delivery_id = waiting.id)
  DELETE FROM webhook_deliveries d USING waiting WHERE d.id = waiting.id`;

/** A loose index scan over the endpoints with deliveries: those that exist no more and still have pending ones. */
const REMOVED_WITH_PENDING = `
  WITH RECURSIVE walk AS (
      (SELECT webhook_id FROM webhook_deliveries ORDER BY webhook_id LIMIT 1)
    UNION ALL
      SELECT following.webhook_id FROM walk CROSS JOIN LATERAL (
        SELECT d.webhook_id FROM webhook_deliveries d WHERE d.webhook_id > walk.webhook_id ORDER BY d.webhook_id LIMIT 1)
        AS following)
  SELECT webhook_id AS id FROM walk
   WHERE NOT EXISTS (SELECT FROM webhooks w WHERE w.id = walk.webhook_id)
     AND EXISTS (SELECT FROM webhook_deliveries d WHERE d.webhook_id = walk.webhook_id AND d.status = 'pending')`;

/** Deletes the pending deliveries of a removed endpoint with their attempts, in at most so many small transactions. */
export async function deletePending(db: Queryable, webhookId: string, batches = Infinity): Promise<void> {
  for (let batch = 0; batch < batches; batch++) {
    const { rowCount } = await db.query(DELETE_PENDING, [webhookId]);
    if (rowCount < DELETED_AT_ONCE) return;
  }
}

/** The same for all endpoints whose removal has left deliveries: by its bound, by locks, or because it was cut short. */
export async function deletePendingOfRemoved(db: Queryable): Promise<void> {
  const { rows } = await db.query<{ id: string }>(REMOVED_WITH_PENDING);
  for (const { id } of rows) await deletePending(db, id);
}
