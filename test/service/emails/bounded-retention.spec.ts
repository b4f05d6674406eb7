import { newId, wholeAccount } from '#libs/contracts';
import { CapturedMessages } from '#libs/emails';
import { Retention } from '../../../libs/emails/src/commands/retention.js';
import { Partitions } from '#libs/persistence';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { tableReads } from '../../support/persistence/table-reads.js';
import { createTestDatabase, type OpenTestDatabase } from '../../support/persistence/test-database.js';

const KEPT = 10_000;
/** Rows that one statement may delete. */
const BATCH = 1_000;

describe('retention in bounded batches', () => {
  let db: OpenTestDatabase;
  const sql = async <R>(text: string, ...values: unknown[]) => (await db.database.query<R>(text, values)).rows;

  beforeAll(async () => {
    db = await createTestDatabase([], 1);
    for (const table of ['idempotency_keys', 'captured_messages_default'])
      await sql(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`);
  });
  afterEach(() => vi.restoreAllMocks());
  afterAll(() => db?.close());

  /** Rows of each statement that deletes. */
  function deletions(): number[] {
    const counts: number[] = [];
    const query = db.database.query.bind(db.database);
    vi.spyOn(db.database, 'query').mockImplementation(async (statement, values) => {
      const result = await query(statement, values);
      if (/\bDELETE FROM\b/.test(typeof statement === 'string' ? statement : statement.text))
        counts.push(result.rowCount);
      return result;
    });
    return counts;
  }

  describe('of captured messages', () => {
    const [large, small, another] = ['acc_a', 'acc_b', 'acc_c'];
    const messages = () => new CapturedMessages(db.database, new Partitions(db.database), db.config);
    const capture = (account: string, count: number) =>
      sql(
        `INSERT INTO captured_messages (id, account_id, email_id, mail_from, rcpt_to, size, raw)
         SELECT $1 || lpad(n::text, 6, '0'), $2, $3, '', '{}', 0, '' FROM generate_series(1, $4::int) AS n`,
        ...[newId('cap').slice(0, 30), account, newId('em'), count],
      );
    const counts = async () => {
      const rows = await sql<{ account_id: string; n: number }>(
        'SELECT account_id, count(*)::int AS n FROM captured_messages GROUP BY 1',
      );
      return Object.fromEntries(rows.map(({ account_id, n }) => [account_id, n]));
    };

    afterEach(() => sql('DELETE FROM captured_messages'));

    it('keeps the newest of each account, however many there are beyond the limit', async () => {
      await capture(large, KEPT + 3_500);
      await capture(small, 10);
      await capture(another, KEPT + 1);
      const [{ newest }] = await sql<{ newest: string }>(
        'SELECT max(id) AS newest FROM captured_messages WHERE account_id = $1',
        large,
      );
      const deleted = deletions();
      expect(await messages().pruneBeyondLimit()).toBe(3_501);
      expect(Math.max(...deleted)).toBeLessThanOrEqual(BATCH);
      vi.restoreAllMocks();
      expect(await counts()).toEqual({ [large]: KEPT, [small]: 10, [another]: KEPT });
      expect(
        await sql('SELECT id FROM captured_messages WHERE account_id = $1 ORDER BY id DESC LIMIT 1', large),
      ).toEqual([{ id: newest }]);
      expect(await messages().pruneBeyondLimit()).toBe(0);
    });

    it('are deleted in batches by an account that clears its inbox', async () => {
      await capture(large, 2_500);
      await capture(small, 10);
      const deleted = deletions();
      expect(await messages().clear(wholeAccount(large))).toBe(2_500);
      expect(Math.max(...deleted)).toBeLessThanOrEqual(BATCH);
      vi.restoreAllMocks();
      expect(await counts()).toEqual({ [small]: 10 });
    });
  });

  it('finds expired idempotency keys by an index after their pages were used again', async () => {
    const add = (prefix: string, count: number, age: string) =>
      sql(
        `INSERT INTO idempotency_keys (scope, key, body_hash, response, created_at)
         SELECT 'acc:live:send', $1 || n, '\\x00', '{"id":"em"}', now() - $2::interval FROM generate_series(1, $3::int) AS n`,
        ...[prefix, age, count],
      );
    await add('first', 40_000, '30 hours');
    // Every page has had expired keys and newer ones.
    await sql(`DELETE FROM idempotency_keys WHERE substr(key, 6)::int % 20 <> 0`);
    await sql('VACUUM idempotency_keys');
    await add('second', 38_000, '1 hour');
    await sql('VACUUM ANALYZE idempotency_keys');
    const retention = new Retention(db.database, new Partitions(db.database), db.config);
    let keys = 0;
    const deleted = deletions();
    const prune = () =>
      tableReads(db.database, async () => {
        ({ idempotencyKeys: keys } = await retention.prune());
      });
    await prune();
    expect(keys).toBe(2_000);
    expect(Math.max(...deleted)).toBeLessThanOrEqual(BATCH);
    // Index entries of deleted rows are read until a vacuum, or a scan when no snapshot needs them, has removed them.
    await sql('VACUUM idempotency_keys');
    const second = await prune();
    expect(keys).toBe(0);
    // A scan of the table, which has about 450 pages, reads several thousand rows.
    expect(second.rows).toBeLessThan(500);
    expect(second.pages).toBeLessThan(300);
  });
});
