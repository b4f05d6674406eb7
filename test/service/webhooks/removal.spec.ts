import { newId, wholeAccount } from '#libs/contracts';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { webhooksDatabase, WebhooksProcess } from '../../support/webhooks/webhooks-harness.js';
import type { OpenTestDatabase } from '../../support/persistence/test-database.js';

/** Rows that one statement may delete. */
const BATCH = 1_000;

describe('the removal of an endpoint with a backlog', () => {
  let db: OpenTestDatabase;
  let made: WebhooksProcess;
  const accountId = newId('acc');
  const sql = async <R>(text: string, ...values: unknown[]) => (await db.database.query<R>(text, values)).rows;

  beforeAll(async () => {
    db = await webhooksDatabase();
    made = new WebhooksProcess(db);
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await sql('TRUNCATE webhooks, webhook_deliveries, webhook_attempts');
  });
  afterAll(async () => {
    await made?.stop();
    await db?.close();
  });

  const subscribe = async () =>
    (await made.subscriptions.create(wholeAccount(accountId), { url: 'http://127.0.0.1:8999/', events: ['*'] })).id;
  /** Each delivery has an attempt. */
  const backlog = (webhookId: string, count: number, status = 'pending') =>
    sql(
      `WITH made AS (
         INSERT INTO webhook_deliveries (id, webhook_id, account_id, event_id, event_type, sequence, body, status, due_at, is_due)
         SELECT 'dlv_' || $1 || $4 || n, $1, $2, 'evt_' || $4 || n, 'email.sent', 1, '{}', $4, now(), true
           FROM generate_series(1, $3::int) AS n RETURNING id, webhook_id)
       INSERT INTO webhook_attempts (id, delivery_id, webhook_id, number, latency_ms, response, started_at)
       SELECT replace(id, 'dlv_', 'atm_'), id, webhook_id, 1, 1, 'busy', now() FROM made`,
      ...[webhookId, accountId, count, status],
    );
  const left = async () => {
    const [counts] = await sql<{ deliveries: number; attempts: number }>(
      `SELECT (SELECT count(*)::int FROM webhook_deliveries) AS deliveries, (SELECT count(*)::int FROM webhook_attempts) AS attempts`,
    );
    return counts;
  };
  const remove = (id: string) => made.subscriptions.remove(wholeAccount(accountId), id);

  it('waits for no transaction, and deletes the rest later', async () => {
    const id = await subscribe();
    await backlog(id, 50);
    const other = new pg.Client(db.url);
    await other.connect();
    try {
      await other.query('BEGIN');
      await other.query(`SELECT FROM webhook_deliveries ORDER BY id LIMIT 10 FOR UPDATE`);
      expect(await remove(id)).toBe(true);
      expect(await left()).toEqual({ deliveries: 10, attempts: 10 });
    } finally {
      await other.end();
    }
    await made.retention.prune();
    expect(await left()).toEqual({ deliveries: 0, attempts: 0 });
  });

  it('deletes in small transactions, in the request a part of them only', async () => {
    const [id, kept] = [await subscribe(), await subscribe()];
    await backlog(id, 30_000);
    await backlog(kept, 3);
    const counts: number[] = [];
    const query = db.database.query.bind(db.database);
    vi.spyOn(db.database, 'query').mockImplementation(async (statement, values) => {
      const result = await query(statement, values);
      counts.push(result.rowCount);
      return result;
    });
    expect(await remove(id)).toBe(true);
    expect((await left()).deliveries).toBeGreaterThan(3);
    await made.retention.prune();
    expect(Math.max(...counts)).toBeLessThanOrEqual(BATCH);
    expect(await left()).toEqual({ deliveries: 3, attempts: 3 });
  });

  it('keeps what was delivered or has failed until its time is over', async () => {
    const id = await subscribe();
    await backlog(id, 3);
    await backlog(id, 2, 'delivered');
    expect(await remove(id)).toBe(true);
    await made.retention.prune();
    expect(await left()).toEqual({ deliveries: 2, attempts: 2 });
    await sql(`UPDATE webhook_deliveries SET created_at = now() - interval '31 days'`);
    await made.retention.prune();
    expect(await left()).toEqual({ deliveries: 0, attempts: 0 });
  });

  it('leaves no attempt whose delivery is gone for longer than deliveries are kept', async () => {
    const old = 'atm_019000000000700080000000000000aa';
    await sql(
      `INSERT INTO webhook_attempts (id, delivery_id, webhook_id, number, latency_ms, response, started_at)
       SELECT id, 'dlv_gone', 'wh_gone', 1, 1, '', now() FROM unnest($1::text[]) AS id`,
      [old, newId('atm')],
    );
    await made.retention.prune();
    expect(await left()).toEqual({ deliveries: 0, attempts: 1 });
  });
});
