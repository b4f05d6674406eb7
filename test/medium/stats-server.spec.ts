import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@clickhouse/client';
import { loadConfig, Log } from '#libs/kernel';
import { StatsStore } from '#libs/stats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startClickhouseFront, type ClickhouseFront } from '../support/clickhouse-front.js';
import { StatsEvents } from '../support/stats-events.js';
import { statsStoreSuite } from '../support/stats-store-suite.js';

const NOON = new Date('2026-03-01T12:00:00.000Z');
const LATER = new Date('2026-03-01T13:00:00.000Z');
const silent = new Log({ error() {}, warn() {}, info() {} } as never);
const openAt = (CLICKHOUSE_URL: string) => new StatsStore(loadConfig('standalone', { CLICKHOUSE_URL }), silent);

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

  it('completes the roll-up when a crash came between it and the events', async () => {
    const server = createClient({ url: front.url });
    const events = new StatsEvents();
    events.position = 10_000_000;
    const batch = { token: 'crash:1-10', events: events.deliveries(10, NOON, 1_000) };
    const count = async () =>
      (await store.domainStats(events.accountId, events.domainId, { from: NOON, to: LATER })).delivered;
    await server.command({ query: 'DETACH TABLE mail_counts_feed' });
    await store.insert(batch);
    await server.command({ query: 'ATTACH TABLE mail_counts_feed' });
    await server.close();
    expect(await count()).toBe(0);
    await store.insert(batch);
    expect(await count()).toBe(10);
    await store.insert(batch);
    expect(await count()).toBe(10);
  });

  it('gives up the tables of an older version, so that the log is counted anew', async () => {
    const old = createClient({ url: front.url, database: 'front' });
    const made = [
      'CREATE DATABASE older ENGINE = Atomic',
      'CREATE TABLE older.stats_schema (version UInt32, applied_at DateTime) ENGINE = MergeTree ORDER BY version',
      'CREATE TABLE older.email_events (at DateTime) ENGINE = MergeTree ORDER BY at',
      'INSERT INTO older.stats_schema (version) VALUES (1)',
    ];
    for (const query of made) await old.command({ query });
    const own = openAt(`${front.url}/older`);
    await own.ready();
    const result = await old.query({
      query: `SELECT name, toString(uuid) AS id FROM system.tables WHERE database = 'older' ORDER BY name`,
      format: 'JSONEachRow',
    });
    const tables = await result.json<{ name: string; id: string }>();
    expect(tables.map(({ name }) => name)).toEqual(['mail_counts', 'mail_counts_feed', 'mail_events', 'stats_schema']);
    expect(tables[2].id).toBe(own.identity);
    await own.close();
    await old.close();
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
    const batch = { token: 'log:1-10', events: events.deliveries(10, NOON, 1_000) };
    const question = () => store.domainStats(events.accountId, events.domainId, { from: NOON, to: LATER });
    try {
      await store.insert(batch);
      await front.stop('SIGKILL');
      await expect(store.insert(batch)).rejects.toThrow();
      await expect(question()).rejects.toMatchObject({ code: 'service_unavailable' });
      front = await startClickhouseFront({ path, port });
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
