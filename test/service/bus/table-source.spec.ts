import { newId } from '#libs/contracts';
import type { RelayedTable } from '#libs/bus';
import { Log, Metrics, Shutdown } from '#libs/kernel';
import { Worker } from '#libs/persistence';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LogLag } from '../../../libs/bus/src/log-lag.js';
import { TableSource } from '../../../libs/bus/src/postgres/table-source.js';
import type { Shard } from '../../../libs/bus/src/shards/shard.js';
import { tableReads } from '../../support/persistence/table-reads.js';
import { createTestDatabase, type OpenTestDatabase } from '../../support/persistence/test-database.js';

const TABLE = 'webhook_attempts';
const INSERT = `INSERT INTO ${TABLE} (id, delivery_id, webhook_id, number, latency_ms, started_at)
                SELECT id, 'dlv', 'wh', 1, 5, now() FROM unnest($1::text[]) AS id`;
const PAGE = 3;

describe('the rows of a table', () => {
  let db: OpenTestDatabase;
  const clients: pg.Client[] = [];
  let worker: Worker;
  const never = new AbortController().signal;

  beforeAll(async () => {
    db = await createTestDatabase();
    worker = new Worker(db.database, db.config, Log.quiet(), new Shutdown(Log.quiet()));
  });
  beforeEach(async () => {
    await db.database.query(`TRUNCATE ${TABLE}, relay_positions, consumer_shards, leases`);
  });
  afterEach(() => Promise.all(clients.splice(0).map((client) => client.end())));
  afterAll(() => db?.close());

  const table: RelayedTable = {
    topic: 'webhook.deliveries.v1',
    type: 'webhook.delivery',
    table: TABLE,
    key: 'webhook_id',
    load: async (ids) => ids.map((id) => ({ rowId: id, id, key: 'wh', value: '{}', at: 0 })),
  };

  const makeSource = (of: RelayedTable, shard?: Shard) =>
    new TableSource(of, { database: db.database, worker, log: Log.quiet() }, shard);
  async function openSource(of: RelayedTable = table, shard?: Shard) {
    const source = makeSource(of, shard);
    expect(await source.take()).toBe(true);
    expect(await source.begin(12)).toBe(12);
    return source;
  }
  async function insert(count: number, on: { query: pg.Client['query'] } | OpenTestDatabase['database'] = db.database) {
    const ids = Array.from({ length: count }, () => newId('atm'));
    await (on as OpenTestDatabase['database']).query(INSERT, [ids]);
    return ids;
  }
  /** A transaction that stays open. */
  async function begin() {
    const client = new pg.Client(db.url);
    clients.push(client);
    await client.connect();
    await client.query('BEGIN');
    return client;
  }
  /** Every page until there is no more. */
  async function drain(source: TableSource): Promise<string[]> {
    const ids: string[] = [];
    for (;;) {
      const { records, isAll } = await source.read(PAGE);
      ids.push(...records.map(({ id }) => id));
      if (isAll) return ids;
    }
  }

  it('are read once, in the order of their transactions', async () => {
    const source = await openSource();
    const first = [...(await insert(2)), ...(await insert(5))];
    expect(await drain(source)).toEqual(first);
    const second = await insert(4);
    expect(await drain(source)).toEqual(second);
    expect(await drain(source)).toEqual([]);
  });

  it('are counted in a metric until they are copied', async () => {
    const metrics = new Metrics();
    new LogLag(metrics, db.database);
    const lag = async () => /_relay_lag_rows\{topic="webhook.deliveries.v1"\} (\d+)/.exec(await metrics.render())?.[1];
    expect(await lag()).toBeUndefined();
    const source = await openSource();
    await insert(5);
    expect(await lag()).toBe('5');
    await insert(2);
    const [, , { position }] = (await source.read(PAGE)).records;
    await source.advance(position, never);
    expect(await lag()).toBe('4');
    await drain(source);
    const rest = await insert(1);
    expect(rest).toHaveLength(1);
    const [last] = (await source.read(PAGE)).records;
    await source.advance(last.position, never);
    expect(await lag()).toBe('0');
  });

  it('are not missed when their transactions commit in another order', async () => {
    const source = await openSource();
    const [late, latest] = [await begin(), await begin()];
    const lateIds = await insert(4, late);
    const latestIds = await insert(2, latest);
    const early = await insert(4);
    expect(await drain(source)).toEqual(early);
    await late.query('COMMIT');
    const next = await insert(1);
    expect(await drain(source)).toEqual([...lateIds, ...next]);
    expect(await drain(source)).toEqual([]);
    await latest.query('COMMIT');
    expect(await drain(source)).toEqual(latestIds);
  });

  it('come when they commit between two pages, and those that are rolled back never come', async () => {
    const source = await openSource();
    const [late, failed] = [await begin(), await begin()];
    const lateIds = await insert(2, late);
    await insert(2, failed);
    const early = await insert(5);
    const { records: page } = await source.read(PAGE);
    await late.query('COMMIT');
    await failed.query('ROLLBACK');
    const seen = [...page.map(({ id }) => id), ...(await drain(source))];
    expect(seen.slice(0, 5)).toEqual(early);
    expect([...seen.slice(5), ...(await drain(source))]).toEqual(lateIds);
  });

  it('continue behind each record whose position was stored', async () => {
    const late = await begin();
    const lateIds = await insert(1, late);
    const ids = [...(await insert(2)), ...(await insert(4)), ...(await insert(1))];
    await late.query('COMMIT');
    ids.unshift(...lateIds);
    for (let stored = 0; stored <= ids.length; stored++) {
      const source = await openSource();
      expect(await drain(source)).toEqual(ids.slice(stored));
      await source.release();
      const again = await openSource();
      const [record] = (await again.read(PAGE)).records;
      if (record) await again.advance(record.position, never);
      await again.release();
    }
  });

  it('are divided among shards by key, which begin where the least advanced one was when their number changes', async () => {
    await db.database.query(
      `INSERT INTO ${TABLE} (id, delivery_id, webhook_id, number, latency_ms, started_at)
       SELECT 'atm_' || n, 'dlv', 'wh_' || n % 8, 1, 5, now() FROM generate_series(1, 40) AS n`,
    );
    const keyOf = (id: string) => `wh_${Number(id.slice(4)) % 8}`;
    const advanceAll = async (source: TableSource) => {
      const ids: string[] = [];
      for (;;) {
        const { records, upTo, isAll } = await source.read(PAGE);
        ids.push(...records.map(({ id }) => id));
        if (upTo !== null) await source.advance(upTo, never);
        if (isAll) return ids;
      }
    };
    const whole = await openSource();
    expect(await advanceAll(whole)).toHaveLength(40);
    // The table has a reader, so nobody may divide it.
    const early = makeSource(table, { index: 0, of: 2 });
    expect(await early.take()).toBe(true);
    expect(await early.begin(12)).toBeNull();
    await early.release();
    await whole.release();

    await db.database.query(
      `INSERT INTO ${TABLE} (id, delivery_id, webhook_id, number, latency_ms, started_at)
       SELECT 'atm_' || n, 'dlv', 'wh_' || n % 8, 1, 5, now() FROM generate_series(41, 80) AS n`,
    );
    const shards = [await openSource(table, { index: 0, of: 2 }), await openSource(table, { index: 1, of: 2 })];
    // The first read ends what the whole had begun.
    const first = [...(await advanceAll(shards[0])), ...(await advanceAll(shards[0]))];
    const firstKeys = new Set(first.map(keyOf));
    expect(first.length).toBeGreaterThan(0);
    // The second one has not stored anything when the whole is read again.
    const second = [...(await drain(shards[1])), ...(await drain(shards[1]))];
    expect(second.map(keyOf).some((key) => firstKeys.has(key))).toBe(false);
    expect(first.length + second.length).toBe(40);
    for (const shard of shards) await shard.release();
    expect(await drain(await openSource())).toEqual(expect.arrayContaining(second));
  });

  it('are skipped once they are deleted', async () => {
    const ids = await insert(8);
    const kept = ids.slice(6);
    const load: RelayedTable['load'] = (found) => table.load(found.filter((id) => kept.includes(id)));
    const source = await openSource({ ...table, load });
    expect(await drain(source)).toEqual(kept);
  });

  it('cannot be moved past by a process that lost its lease', async () => {
    const source = await openSource();
    await insert(1);
    const [record] = (await source.read(PAGE)).records;
    await db.database.query(`UPDATE leases SET fence = fence + 1`);
    await expect(source.advance(record.position, never)).rejects.toThrow('belongs to another process');
  });

  it('are copied again after the database was restored into another server', async () => {
    const [early, late] = [await insert(2), await insert(2)];
    // As a dump of a server with higher transaction numbers has them.
    await db.database.query(`UPDATE ${TABLE} SET tx = '1000000000000' WHERE id = ANY($1)`, [late]);
    await db.database.query(
      `INSERT INTO relay_positions (relay, done) VALUES ('kafka-relay webhook.deliveries.v1', '1000000000005:1000000000005:')`,
    );
    const source = await openSource();
    expect(await drain(source)).toEqual([...early, ...late]);
    const next = await insert(1);
    expect(await drain(source)).toEqual(next);
  });

  it('are found without reading the others', async () => {
    const one = await createTestDatabase([], 1);
    try {
      const ids = Array.from({ length: 4_000 }, () => newId('atm'));
      for (let i = 0; i < ids.length; i += 20) await one.database.query(INSERT, [ids.slice(i, i + 20)]);
      await one.database.query(`ANALYZE ${TABLE}`);
      const source = new TableSource(table, { database: one.database, worker, log: Log.quiet() });
      await source.take();
      await source.begin(12);
      const first = await tableReads(one.database, () => source.read(100));
      expect(first.rows).toBeLessThan(500);
      while (!(await source.read(2_000)).isAll);
      await one.database.query(INSERT, [[newId('atm')]]);
      const last = await tableReads(one.database, () => source.read(2_000));
      expect(last.rows).toBeLessThan(50);
    } finally {
      await one.close();
    }
  });
});
