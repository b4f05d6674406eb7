import { lowestIdAt, newId } from '#libs/contracts';
import { PARTITIONED_TABLES, Partitions, startOfDay } from '#libs/persistence';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type OpenTestDatabase } from '../../support/persistence/test-database.js';

const DAY_MS = 86_400_000;
const TABLES = Object.keys(PARTITIONED_TABLES);

describe('Partitions', () => {
  let db: OpenTestDatabase;
  let partitions: Partitions;
  let failures: string[];
  const now = new Date();
  const days = (count: number): Date => new Date(now.getTime() + count * DAY_MS);
  const named = (table: string, day: Date) => `${table}_${day.toISOString().slice(0, 10).replaceAll('-', '')}`;

  beforeEach(async () => {
    db = await createTestDatabase();
    partitions = new Partitions(db.database);
    failures = [];
  });
  afterEach(() => db.close());

  const create = (at = now) => partitions.createAhead(at, (partition) => void failures.push(partition));
  const sql = async <R>(text: string, values: unknown[] = []) => (await db.database.query<R>(text, values)).rows;
  const store = (id: string) =>
    sql(`INSERT INTO email_contents (email_id, format, body) VALUES ($1, 'mime', '')`, [id]);
  /** The ids in the table, by the partition that has them. */
  async function contents(): Promise<Record<string, string[]>> {
    const rows = await sql<{ partition: string; ids: string[] }>(
      'SELECT tableoid::regclass::text AS partition, array_agg(email_id ORDER BY email_id) AS ids FROM email_contents GROUP BY 1',
    );
    return Object.fromEntries(rows.map(({ partition, ids }) => [partition, ids]));
  }
  const emailAt = (time: Date): string => lowestIdAt('em', time).slice(0, 16) + newId('em').slice(16);

  it('are created for today and more than seven days ahead, once', async () => {
    const created = await create();
    // The migration made those of today and tomorrow.
    expect(created).toHaveLength(TABLES.length * 7);
    expect(await create()).toEqual([]);
    expect(failures).toEqual([]);
    for (const { days: made, defaultRows } of await partitions.states()) {
      expect(made).toEqual(Array.from({ length: 9 }, (_, i) => startOfDay(now, i)));
      expect(defaultRows).toBe(0);
    }
  });

  it('have the same columns, storage, statistics and indexes as their table', async () => {
    await create();
    const shape = (table: string) =>
      sql(
        `SELECT attname, format_type(atttypid, atttypmod), attnotnull, attstorage, attstattarget, attcollation, attgenerated
           FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY attname`,
        [table],
      );
    const indexes = async (table: string) =>
      (
        await sql<{ definition: string }>(
          `SELECT regexp_replace(pg_get_indexdef(indexrelid), '^.* USING ', '') AS definition FROM pg_index
            WHERE indrelid = to_regclass($1) ORDER BY 1`,
          [table],
        )
      ).map(({ definition }) => definition);
    for (const table of TABLES) {
      const partition = named(table, startOfDay(now, 5));
      expect(await shape(partition), table).toEqual(await shape(table));
      expect(await indexes(partition), table).toEqual(await indexes(table));
    }
  });

  it('take the rows of their day, and DEFAULT takes those of days without one', async () => {
    await create();
    const [today, later, old] = [emailAt(now), emailAt(days(8)), emailAt(days(-100))];
    for (const id of [today, later, old]) await store(id);
    expect(await contents()).toEqual({
      [named('email_contents', now)]: [today],
      [named('email_contents', days(8))]: [later],
      email_contents_default: [old],
    });
  });

  it('receive the rows of their day that DEFAULT had to take', async () => {
    const [first, second] = [emailAt(days(3)), emailAt(days(3))].sort();
    await store(first);
    await store(second);
    expect(await contents()).toEqual({ email_contents_default: [first, second] });
    await create();
    expect(failures).toEqual([]);
    expect(await contents()).toEqual({ [named('email_contents', days(3))]: [first, second] });
  });

  it('are dropped when all of their day is older than the period', async () => {
    await create(days(-5));
    await create();
    const ids = [-4, -3, -2].map((day) => emailAt(startOfDay(now, day)));
    for (const id of ids) await store(id);
    const before = startOfDay(now, -1);
    expect(await partitions.expire('email_contents', startOfDay(now, -3))).toEqual({
      dropped: [named('email_contents', days(-5)), named('email_contents', days(-4))],
      deleted: 0,
    });
    expect(Object.keys(await contents())).toEqual([
      named('email_contents', days(-3)),
      named('email_contents', days(-2)),
    ]);
    expect((await partitions.expire('email_contents', new Date(before.getTime() - 1))).dropped).toEqual([
      named('email_contents', days(-3)),
    ]);
    expect(Object.values(await contents())).toEqual([[ids[2]]]);
  });

  it('leave expired rows in DEFAULT to a deletion that passes over locked ones', async () => {
    const [locked, free, young] = [emailAt(days(-40)), emailAt(days(-40)), emailAt(days(-20))];
    for (const id of [locked, free, young]) await store(id);
    await db.database.transaction(async (tx) => {
      await tx.query('SELECT FROM email_contents WHERE email_id = $1 FOR UPDATE', [locked]);
      expect(await partitions.expire('email_contents', days(-30))).toEqual({ dropped: [], deleted: 1 });
    });
    expect(await contents()).toEqual({ email_contents_default: [locked, young].sort() });
    expect(await partitions.expire('email_contents', days(-30))).toEqual({ dropped: [], deleted: 1 });
  });

  it('wait for no transaction: one that reads the table delays them to the next round', async () => {
    await create(days(-5));
    await db.database.transaction(async (tx) => {
      await tx.query('SELECT FROM email_contents');
      await expect(partitions.expire('email_contents', now)).rejects.toThrow(/lock timeout/);
      expect(await create(days(10))).toEqual(expect.not.arrayContaining([expect.stringContaining('email_contents')]));
      expect(failures).toContain(named('email_contents', days(15)));
      // Mail is accepted meanwhile.
      await store(emailAt(days(15)));
    });
    failures = [];
    await create(days(10));
    expect(failures).toEqual([]);
    expect(Object.keys(await contents())).toEqual([named('email_contents', days(15))]);
    expect((await partitions.expire('email_contents', startOfDay(now))).dropped).toHaveLength(5);
  });
});
