import type { AddressErasure, ErasedBatch } from '#libs/contracts';
import type { Queryable } from '#libs/persistence';

/** Deliveries that one batch reads. */
const SCANNED = 2_000;

interface Delivery {
  id: string;
  body: string;
  last_error: string | null;
  last_response: string | null;
}
interface Attempt {
  id: string;
  error: string | null;
  response: string | null;
}

const CONTAINS = (text: string) =>
  `EXISTS (SELECT FROM unnest($2::text[]) AS needle WHERE strpos(lower(${text}), needle) > 0)`;

/**
 * The first endpoint after $2 with deliveries of account $1. A loose index scan over the deliveries instead of a look-up in
 * `webhooks`, because deliveries outlive the endpoint that they were made for.
 */
const NEXT_WEBHOOK = `
  WITH RECURSIVE walk AS (
      (SELECT webhook_id, account_id FROM webhook_deliveries WHERE webhook_id > $2 ORDER BY webhook_id, id LIMIT 1)
    UNION ALL
      SELECT following.* FROM walk CROSS JOIN LATERAL (
        SELECT d.webhook_id, d.account_id FROM webhook_deliveries d
         WHERE d.webhook_id > walk.webhook_id ORDER BY d.webhook_id, d.id LIMIT 1) AS following
       WHERE walk.account_id <> $1)
  SELECT webhook_id AS id FROM walk WHERE account_id = $1`;

/**
 * Replaces an erased address in the deliveries to all endpoints of its account, removed ones included, and in the responses to
 * them. `cursor`: the endpoint and the last delivery of the batch before, '' for the beginning.
 */
export async function eraseDeliveries(db: Queryable, erasure: AddressErasure, cursor: string): Promise<ErasedBatch> {
  const [webhookId, after = ''] = cursor === '' ? [await nextWebhook(db, erasure.accountId, '')] : cursor.split(' ');
  if (webhookId === undefined || webhookId === '') return { rows: 0, cursor: null };
  const { rows } = await db.query<{ id: string }>(
    'SELECT id FROM webhook_deliveries WHERE webhook_id = $1 AND id > $2 ORDER BY webhook_id, id LIMIT $3',
    [webhookId, after, SCANNED],
  );
  const ids = rows.map(({ id }) => id);
  const erased = ids.length === 0 ? 0 : await eraseBatch(db, erasure, ids);
  const next = ids.length === SCANNED ? webhookId : await nextWebhook(db, erasure.accountId, webhookId);
  if (next === '') return { rows: erased, cursor: null };
  return { rows: erased, cursor: next === webhookId ? `${webhookId} ${ids[ids.length - 1]}` : next };
}

/** '' after the last one. */
async function nextWebhook(db: Queryable, accountId: string, after: string): Promise<string> {
  const { rows } = await db.query<{ id: string }>(NEXT_WEBHOOK, [accountId, after]);
  return rows.at(0)?.id ?? '';
}

async function eraseBatch(db: Queryable, erasure: AddressErasure, ids: string[]): Promise<number> {
  const rewritten = (text: string | null) => (text === null ? null : erasure.rewrite(text));
  const deliveries = await db.query<Delivery>(
    `SELECT id, body, last_error, last_response FROM webhook_deliveries
      WHERE id = ANY($1::text[]) AND ${CONTAINS(`concat_ws(' ', body, last_error, last_response)`)}`,
    [ids, erasure.needles],
  );
  for (const { id, body, last_error: error, last_response: response } of deliveries.rows)
    await db.query('UPDATE webhook_deliveries SET body = $2, last_error = $3, last_response = $4 WHERE id = $1', [
      id,
      erasure.rewriteEvent(body),
      rewritten(error),
      rewritten(response),
    ]);
  const attempts = await db.query<Attempt>(
    `SELECT id, error, response FROM webhook_attempts
      WHERE delivery_id = ANY($1::text[]) AND ${CONTAINS(`concat_ws(' ', error, response)`)}`,
    [ids, erasure.needles],
  );
  for (const { id, error, response } of attempts.rows)
    await db.query('UPDATE webhook_attempts SET error = $2, response = $3 WHERE id = $1', [
      id,
      rewritten(error),
      rewritten(response),
    ]);
  return deliveries.rows.length;
}
