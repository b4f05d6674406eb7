import type { Principal } from '#libs/accounts';
import { newId, wholeAccount } from '#libs/contracts';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig, Log } from '#libs/kernel';
import { StatsStore } from '#libs/stats';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DomainTrafficLoader } from '../../../apps/gateway/src/graphql/domains/domain-traffic.js';
import type { GraphqlContext } from '../../../apps/gateway/src/graphql/graphql-caller.js';
import { startClickhouseFront } from '../../support/stats/clickhouse-front.js';
import { KEEP_ALL, StatsEvents } from '../../support/stats/stats-events.js';
import { statsStoreSuite } from './store.suite.js';

const NOON = new Date('2026-03-01T12:00:00.000Z');
const LATER = new Date('2026-03-01T13:00:00.000Z');
const silent = Log.quiet();
const openAt = (dataDir: string) =>
  new StatsStore(loadConfig('standalone', { DATA_DIR: dataDir, ...KEEP_ALL }), silent);

describe('in process', () => {
  let dataDir: string;
  let store: StatsStore;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'stats-'));
    store = openAt(dataDir);
    await store.ready();
  });
  afterAll(async () => {
    await store.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  statsStoreSuite('the embedded engine', () => store);

  it('counts what the advice about a domain needs, with the most frequent causes', async () => {
    const events = new StatsEvents();
    // Above those of the tests before it: earlier positions of the log are already stored.
    events.position = 1_000_000;
    const at = new Date(Date.now() - 86_400_000);
    const bounced = (name: string, bounce_class: string) =>
      events.make({ type: 'email.bounced', at, data: { recipient: `${name}@gmail.com`, bounce_class } });
    const batch = [
      ...events.deliveries(110, at, 1_000),
      ...['a', 'b'].map((name) => bounced(name, 'invalid_recipient')),
      bounced('c', 'mailbox_full'),
      events.make({ type: 'email.complained', at, data: { recipient: 'd@yahoo.com' } }),
      // Older than the seven days of the advice.
      ...events.deliveries(5, new Date(Date.now() - 9 * 86_400_000), 1_000),
    ];
    await store.insert({ source: 'log', token: 'advice', events: batch });
    const caller = wholeAccount(events.accountId) as Principal;
    const read = (loader: DomainTrafficLoader, id: string) => loader.of({} as GraphqlContext, caller).byDomain.load(id);
    const loader = new DomainTrafficLoader(store, silent);
    expect(await read(loader, events.domainId)).toEqual({
      settled: 113,
      bounceRate: 0.026549,
      complaintRate: 0.00885,
      bounceReasons: expect.arrayContaining([
        { name: 'invalid_recipient', count: 2 },
        { name: 'mailbox_full', count: 1 },
      ]) as unknown,
      bounceProviders: expect.arrayContaining([{ name: 'google', count: 3 }]) as unknown,
      complaintProviders: expect.arrayContaining([{ name: 'yahoo', count: 1 }]) as unknown,
    });
    expect(await read(loader, newId('dom'))).toMatchObject({ settled: 0, bounceRate: 0, bounceReasons: [] });
    const broken = { metrics: () => Promise.reject(new Error('no engine')) } as unknown as StatsStore;
    expect(await read(new DomainTrafficLoader(broken, silent), events.domainId)).toBeNull();
  });
});

describe('a store in process', () => {
  let dataDir: string;
  const broken = async () => (await readdir(dataDir)).filter((name) => name.startsWith('chdb.broken-'));
  /** Opens a store, does something with it, closes it. One process has one store at a time. */
  const visit = async <T>(work: (store: StatsStore) => Promise<T>): Promise<T> => {
    const store = openAt(dataDir);
    try {
      await store.ready();
      return await work(store);
    } finally {
      await store.close();
    }
  };
  const path = (...parts: string[]) => join(dataDir, 'chdb', ...parts);

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'stats-'));
  });
  afterEach(() => rm(dataDir, { recursive: true, force: true }));

  it('keeps its rows, its tokens and its identity over a restart', async () => {
    const events = new StatsEvents();
    const batch = { source: 'log', token: 'log:1-10', events: events.deliveries(10, NOON, 1_000) };
    const before = await visit(async (store) => {
      await store.insert(batch);
      return store.identity;
    });
    await visit(async (store) => {
      expect(store.identity).toBe(before);
      await store.insert(batch);
      expect(
        (await store.domainStats(wholeAccount(events.accountId), events.domainId, { from: NOON, to: LATER })).delivered,
      ).toBe(10);
    });
    expect(await broken()).toEqual([]);
  });

  it('counts an event once that comes in another batch after a restart', async () => {
    const events = new StatsEvents();
    const [early, late] = [events.deliveries(10, NOON, 1_000), events.deliveries(10, NOON, 1_000)];
    await visit((store) => store.insert({ source: 'log', token: 'log:1-20', events: [...early, ...late] }));
    await visit(async (store) => {
      await store.insert({ source: 'log', token: 'log:1-15', events: [...early, ...late.slice(0, 5)] });
      await store.insert({
        source: 'log',
        token: 'log:16-25',
        events: [...late.slice(5), ...events.deliveries(5, NOON, 1_000)],
      });
      const { delivered } = await store.domainStats(wholeAccount(events.accountId), events.domainId, {
        from: NOON,
        to: LATER,
      });
      expect(delivered).toBe(25);
    });
  });

  it.each(['metadata/postloft.sql', 'recipient_counts_by_hour.sql', 'recipient_counts_by_hour_feed.sql'])(
    'keeps its rows and its identity when %s is damaged, which is set aside',
    async (name) => {
      const events = new StatsEvents();
      const before = await visit(async (store) => {
        await store.insert({ source: 'log', token: 'log:1-10', events: events.deliveries(10, NOON, 1_000) });
        return store.identity;
      });
      const files = await readdir(path(), { recursive: true });
      await writeFile(path(files.find((file) => file.endsWith(name)) as string), 'garbage');
      const after = await visit(async (store) => {
        const range = { from: NOON, to: LATER };
        expect((await store.domainStats(wholeAccount(events.accountId), events.domainId, range)).delivered).toBe(10);
        return store.identity;
      });
      expect(after).toBe(before);
      expect(await broken()).toHaveLength(1);
    },
  );

  it('is moved aside as a whole, and begun anew with another identity, when nothing in it can be opened', async () => {
    const before = await visit(async (store) => store.identity);
    await rm(path(), { recursive: true });
    await writeFile(path(), 'garbage');
    const after = await visit(async (store) => store.identity);
    expect(after).not.toBe(before);
    expect(await broken()).toHaveLength(1);
  });

  it('keeps its identity when some of its data cannot be read, which are set aside', async () => {
    const events = new StatsEvents();
    const before = await visit(async (store) => {
      await store.insert({ source: 'log', token: 'log:1-10', events: events.deliveries(10, NOON, 1_000) });
      return store.identity;
    });
    for (const name of await readdir(path('store'), { recursive: true }))
      if (/202603_\d.*\/data\.bin$/.test(name)) await writeFile(path('store', name), 'garbage');
    const after = await visit(async (store) => store.identity);
    expect(after).toBe(before);
    expect(await broken()).toHaveLength(1);
  });

  it('refuses to start, and leaves the files alone, while another process uses it', async () => {
    const other = await startClickhouseFront({ path: path() });
    try {
      const store = openAt(dataDir);
      await expect(store.ready()).rejects.toThrow(/cannot be opened: .*Cannot lock file/);
      expect(await broken()).toEqual([]);
      await other.stop();
      await expect(store.ready()).resolves.toBeUndefined();
      await store.close();
    } finally {
      await other.stop();
    }
  });

  it('tells what it is asked after its end that it is closed', async () => {
    const store = openAt(dataDir);
    await store.ready();
    await store.close();
    await expect(store.insert({ source: 'log', token: 'x', events: [] })).rejects.toThrow('closed');
    await expect(store.domainStats(wholeAccount('acc'), 'dom', { from: NOON, to: LATER })).rejects.toMatchObject({
      code: 'service_unavailable',
    });
  });
});
