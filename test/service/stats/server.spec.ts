import { wholeAccount } from '#libs/contracts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type ClickHouseClient } from '@clickhouse/client';
import { loadConfig, Log } from '#libs/kernel';
import { StatsStore } from '#libs/stats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startClickhouseFront, type ClickhouseFront } from '../../support/stats/clickhouse-front.js';
import { KEEP_ALL, StatsEvents } from '../../support/stats/stats-events.js';
import { statsStoreSuite } from './store.suite.js';

const NOON = new Date('2026-03-01T12:00:00.000Z');
const LATER = new Date('2026-03-01T13:00:00.000Z');
const silent = Log.quiet();
const openAt = (CLICKHOUSE_URL: string) =>
  new StatsStore(loadConfig('standalone', { CLICKHOUSE_URL, ...KEEP_ALL }), silent);

describe('over HTTP', () => {
  let front: ClickhouseFront;
  let store: StatsStore;
  beforeAll(async () => {
    front = await startClickhouseFront();
    store = openAt(front.url);
    await store.ready();
  });
  afterAll(async () => {
    await store.close();
    await front.stop();
  });

  statsStoreSuite('a server', () => store);

  it('makes its database when the server does not have it, and keeps apart from others', async () => {
    const own = openAt(`${front.url.replace('//', '//someone:secret@')}/mail%20stats`);
    await own.ready();
    expect(own.identity).not.toBe(store.identity);
    const again = openAt(`${front.url}/mail%20stats`);
    await again.ready();
    expect(again.identity).toBe(own.identity);
    await Promise.all([own.close(), again.close()]);
  });

  it('creates a table again that is dropped while the program runs', async () => {
    const server = createClient({ url: front.url });
    const own = openAt(`${front.url}/dropped`);
    await own.ready();
    const events = new StatsEvents();
    const batch = { source: 'log', token: 'log:1-10', events: events.deliveries(10, NOON, 1_000) };
    await server.command({ query: 'DROP TABLE dropped.recipient_counts_by_hour SYNC' });
    await server.close();
    await expect(own.insert(batch)).rejects.toThrow(/recipient_counts_by_hour/);
    expect(own.damageReason).toContain('recipient_counts_by_hour');
    await own.prepareAgain();
    expect(own.damageReason).toBeNull();
    expect(await own.damage(null)).toEqual(['recipient_counts_by_hour was missing']);
    await own.insert(batch);
    const range = { from: NOON, to: LATER };
    expect((await own.domainStats(wholeAccount(events.accountId), events.domainId, range)).delivered).toBe(10);
    await own.close();
  });

  it('completes the roll-up when a crash came between it and the events', async () => {
    const server = createClient({ url: front.url });
    const events = new StatsEvents();
    events.position = 10_000_000;
    const batch = { source: 'crash', token: 'crash:1-10', events: events.deliveries(10, NOON, 1_000) };
    const count = async () =>
      (await store.domainStats(wholeAccount(events.accountId), events.domainId, { from: NOON, to: LATER })).delivered;
    await server.command({ query: 'DETACH TABLE recipient_counts_by_hour_feed' });
    await store.insert(batch);
    await server.command({ query: 'ATTACH TABLE recipient_counts_by_hour_feed' });
    await server.command({
      query: `ALTER TABLE stats_progress_by_source DELETE WHERE source = 'crash' SETTINGS mutations_sync = 2`,
    });
    await server.close();
    expect(await count()).toBe(0);
    await store.insert(batch);
    expect(await count()).toBe(10);
    await store.insert(batch);
    expect(await count()).toBe(10);
  });

  describe('in a database with tables of another version', () => {
    let admin: ClickHouseClient;
    beforeAll(() => {
      admin = createClient({ url: front.url, database: 'front' });
    });
    afterAll(() => admin?.close());

    const run = async (...queries: string[]) => {
      for (const query of queries) await admin.command({ query });
    };
    const tablesOf = async (database: string) => {
      const result = await admin.query({
        query: `SELECT name, toString(uuid) AS id FROM system.tables WHERE database = {database:String} ORDER BY name`,
        query_params: { database },
        format: 'JSONEachRow',
      });
      return result.json<{ name: string; id: string }>();
    };
    /** The statements that take from a database what the second version has added. */
    const asFirstVersion = async (database: string) => {
      const views = await admin.query({
        query: `SELECT name, as_select AS text FROM system.tables WHERE database = {database:String} AND as_select != ''`,
        query_params: { database },
        format: 'JSONEachRow',
      });
      const columns = await admin.query({
        query: `SELECT table, name FROM system.columns WHERE database = {database:String} AND name LIKE '%simulated%'
                   AND table NOT LIKE '%_feed' ORDER BY table = 'recipient_events'`,
        query_params: { database },
        format: 'JSONEachRow',
      });
      const added = /, (?:countIf|uniqCombined64StateIf)\((?:(?!, countIf| AS ).)* AS simulated_\w+/g;
      return [
        ...(await views.json<{ name: string; text: string }>()).map(
          ({ name, text }) => `ALTER TABLE ${database}.${name} MODIFY QUERY ${text.replace(added, '')}`,
        ),
        ...(await columns.json<{ table: string; name: string }>()).map(
          ({ table, name }) => `ALTER TABLE ${database}.${table} DROP COLUMN ${name}`,
        ),
        `ALTER TABLE ${database}.stats_layouts DELETE WHERE version = 2 SETTINGS mutations_sync = 2`,
      ];
    };

    it.each([
      [1, ['CREATE TABLE development_1.email_events (at DateTime) ENGINE = MergeTree ORDER BY at']],
      [
        2,
        [
          'CREATE TABLE development_2.mail_events (at DateTime) ENGINE = MergeTree ORDER BY at',
          'CREATE TABLE development_2.mail_counts (at DateTime) ENGINE = MergeTree ORDER BY at',
          `CREATE MATERIALIZED VIEW development_2.mail_counts_feed TO development_2.mail_counts AS
             SELECT at FROM development_2.mail_events`,
        ],
      ],
      [
        3,
        [
          'CREATE TABLE development_3.message_events (at DateTime) ENGINE = MergeTree ORDER BY at',
          'CREATE TABLE development_3.stats_versions (version UInt32) ENGINE = MergeTree ORDER BY version',
          'INSERT INTO development_3.stats_versions VALUES (2)',
        ],
      ],
    ])('removes those of development version %i, so that it is filled from the log', async (version, tables) => {
      const database = `development_${version}`;
      await run(
        `CREATE DATABASE ${database} ENGINE = Atomic`,
        `CREATE TABLE ${database}.stats_schema (version UInt32, applied_at DateTime) ENGINE = MergeTree ORDER BY version`,
        `INSERT INTO ${database}.stats_schema (version) VALUES (${version})`,
        ...tables,
      );
      const own = openAt(`${front.url}/${database}`);
      await own.ready();
      const found = await tablesOf(database);
      const old = /^(stats_schema|stats_versions|(email|mail|message)_.*)$/;
      expect(found.filter(({ name }) => old.test(name))).toEqual([]);
      expect(found.find(({ name }) => name === 'recipient_events')?.id).toBe(own.identity);
      await own.close();
    });

    it('of the first version get the columns of the simulator, and count it from then on', async () => {
      await run('CREATE DATABASE first ENGINE = Atomic');
      const before = openAt(`${front.url}/first`);
      await before.ready();
      const events = new StatsEvents();
      const delivered = (recipient: string) => events.make({ type: 'email.delivered', at: NOON, data: { recipient } });
      const insert = (store: StatsStore, token: string) =>
        store.insert({
          source: 'log',
          token,
          events: [delivered('a@example.com'), delivered('delivered@sim.postloft.test')],
        });
      await insert(before, 'before');
      await before.close();
      await run(...(await asFirstVersion('first')));
      const after = openAt(`${front.url}/first`);
      await after.ready();
      await insert(after, 'after');
      const read = await after.metricsByAccount({
        accountIds: [events.accountId],
        from: NOON,
        to: LATER,
        metrics: ['delivered', 'settled', 'simulated', 'delivered_of_settled'],
      });
      await after.close();
      expect([...read.values()]).toEqual([{ delivered: 4, settled: 3, simulated: 1, delivered_of_settled: 1 }]);
    });

    it('is not opened where a newer version made them, and leaves them', async () => {
      await run('CREATE DATABASE newer ENGINE = Atomic');
      const first = openAt(`${front.url}/newer`);
      await first.ready();
      await first.close();
      await run('INSERT INTO newer.stats_layouts (version) VALUES (99)');
      const before = await tablesOf('newer');
      const second = openAt(`${front.url}/newer`);
      await expect(second.ready()).rejects.toThrow('was made by a newer version (schema 99)');
      await second.close();
      expect(await tablesOf('newer')).toEqual(before);
    });
  });

  it('may be prepared by several programs at once', async () => {
    const stores = Array.from({ length: 4 }, () => openAt(`${front.url}/together`));
    await Promise.all(stores.map((one) => one.ready()));
    expect(new Set(stores.map((one) => one.identity)).size).toBe(1);
    await Promise.all(stores.map((one) => one.close()));
  });
});

describe('a server that goes away', () => {
  it('fails inserts and questions while it is gone and loses and repeats nothing', async () => {
    const path = await mkdtemp(join(tmpdir(), 'stats-'));
    let front = await startClickhouseFront({ path });
    const port = Number(new URL(front.url).port);
    const store = openAt(front.url);
    const events = new StatsEvents();
    const batch = { source: 'log', token: 'log:1-10', events: events.deliveries(10, NOON, 1_000) };
    const question = () =>
      store.domainStats(wholeAccount(events.accountId), events.domainId, { from: NOON, to: LATER });
    try {
      await store.insert(batch);
      await front.stop('SIGKILL');
      await expect(store.insert(batch)).rejects.toThrow();
      await expect(question()).rejects.toMatchObject({ code: 'service_unavailable' });
      front = await startClickhouseFront({ path, port });
      await store.insert(batch);
      expect((await question()).delivered).toBe(10);
      // As if the server had ended before the position was stored: only the token tells that the batch is in the roll-ups.
      const server = createClient({ url: front.url });
      await server.command({ query: 'TRUNCATE TABLE stats_progress_by_source SYNC' });
      await server.close();
      await store.insert(batch);
      expect((await question()).delivered).toBe(10);
    } finally {
      await store.close();
      await front.stop();
      await rm(path, { recursive: true, force: true });
    }
  });

  it('is tried again by the next call when it was gone at the first', async () => {
    const front = await startClickhouseFront();
    const port = Number(new URL(front.url).port);
    await front.stop();
    const store = openAt(front.url);
    await expect(store.ready()).rejects.toThrow();
    const back = await startClickhouseFront({ port });
    await expect(store.ready()).resolves.toBeUndefined();
    await store.close();
    await back.stop();
  });
});
