import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId, wholeAccount, type EmittedType, type LoggedEvent } from '#libs/contracts';
import { loadConfig, Log } from '#libs/kernel';
import { startOfDate, StatsStore, type MetricsQuery, statsWords } from '#libs/stats';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectExactRollups } from '../../support/stats/exact-rollups.js';
import { KEEP_ALL, StatsEvents } from '../../support/stats/stats-events.js';

const DAY_MS = 86_400_000;
const DAY = new Date('2026-03-01T00:00:00.000Z');

/** The shortest periods. */
const SHORT = { RETENTION_EVENTS: '2d', STATS_RAW_DAYS: '2', STATS_MINUTE_DAYS: '2' };

interface Engine {
  select<T>(statement: { query: string; params: object }): Promise<T[]>;
  insert(request: { table: string }): Promise<void>;
  command(query: string): Promise<void>;
}

describe('roll-ups', { timeout: 120_000 }, () => {
  let dataDir: string;
  let store: StatsStore;
  let engine: Engine;
  let events: StatsEvents;

  async function open(settings: Record<string, string> = KEEP_ALL): Promise<void> {
    store = new StatsStore(loadConfig('standalone', { DATA_DIR: dataDir, ...settings }), Log.quiet());
    await store.ready();
    engine = (store as unknown as { engine: Engine }).engine;
  }
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'stats-'));
    events = new StatsEvents();
  });
  afterEach(async () => {
    await store.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const select = (query: string) => engine.select<Record<string, string>>({ query, params: {} });
  const insert = (batch: LoggedEvent[], token: string) => store.insert({ source: 'log', token, events: batch });
  const query = (over: Partial<MetricsQuery>): MetricsQuery => ({
    ...{ visibility: wholeAccount(events.accountId), from: DAY, to: new Date(DAY.getTime() + 10 * DAY_MS) },
    ...{
      timezone: 'UTC',
      granularity: 'day',
      metrics: statsWords.metrics,
      dimensions: [],
      groupBy: [],
      percentiles: [],
    },
    ...{ domainIds: null, emailIds: null },
    ...over,
  });

  const KINDS: { type: EmittedType; data?: object }[] = [
    { type: 'email.queued' },
    { type: 'email.sent', data: { attempt: 1 } },
    { type: 'email.sent', data: { attempt: 2 } },
    { type: 'email.failed', data: { failure_type: 'temporary', ip: '192.0.2.1', mx: 'MX1.example' } },
    { type: 'email.delivered', data: { ip: '192.0.2.1', mx: 'mx1.example', queued_at: DAY.toISOString() } },
    // A correction: the recipient was delivered to, and then bounced.
    { type: 'email.bounced', data: { bounce_type: 'soft', bounce_class: 'quota', mx: 'mx2.example' } },
    { type: 'email.opened', data: { ip: '198.51.100.1', is_bot: false } },
    { type: 'email.opened', data: { is_bot: true } },
    { type: 'email.clicked', data: { is_bot: false } },
    { type: 'email.clicked', data: { is_bot: true } },
    { type: 'email.complained' },
    { type: 'email.unsubscribed' },
  ];
  const pick = <T>(of: readonly T[]): T => of[Math.floor(Math.random() * of.length)];
  function mixed(count: number): LoggedEvent[] {
    const domains = [events.domainId, newId('dom')];
    const accounts = [events.accountId, newId('acc')];
    return Array.from({ length: count }, () => {
      const { type, data } = pick(KINDS);
      const at = new Date(DAY.getTime() + Math.floor(Math.random() * 3 * DAY_MS));
      const recipient = `user${Math.floor(Math.random() * 50)}@${pick(['gmail.com', 'corp.example'])}`;
      const tags = pick([{}, { campaign: 'a' }, { campaign: 'b', list: '' }]);
      const [domainId, accountId] = [pick(domains), pick(accounts)];
      return events.make({ type, at, domainId, accountId, data: { recipient, tags, ...data } });
    });
  }

  const storedIds = async () =>
    (await select('SELECT count() AS n, uniqExact(event_id) AS ids FROM recipient_events'))[0];

  it('equal a count over the events, for mixed events in batches of any size', async () => {
    await open();
    const all = mixed(1_500);
    for (let from = 0, size = 0; from < all.length; from += size) {
      size = 1 + Math.floor(Math.random() * 400);
      await insert(all.slice(from, from + size), `batch:${from}`);
    }
    expect(await storedIds()).toMatchObject({ n: all.length, ids: all.length });
    await expectExactRollups(select);
  });

  it('count nothing twice when the log is read again twice, with more batches than are remembered', async () => {
    await open();
    const tables = await select(
      `SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree' AND name LIKE 'recipient_%'`,
    );
    for (const { name } of tables)
      await engine.command(`ALTER TABLE ${name} MODIFY SETTING non_replicated_deduplication_window = 3`);
    const all = mixed(300);
    for (const [round, size] of [20, 20, 33].entries()) {
      // The second and third time from the beginning, as after offsets were set back to 0.
      for (let from = 0; from < all.length; from += size)
        await insert(all.slice(from, from + size), `log:${from}-${from + size}`);
      expect([round, await storedIds()]).toMatchObject([round, { n: all.length, ids: all.length }]);
    }
    await expectExactRollups(select);
  });

  it('count nothing twice when the process ends between an insert and its position, in every batch', async () => {
    await open();
    const all = mixed(200);
    const write = engine.insert.bind(engine);
    let fails = true;
    engine.insert = async (request) => {
      if (request.table === 'stats_progress_by_source' && fails) throw new Error('killed');
      await write(request);
    };
    for (let from = 0; from < all.length; from += 40) {
      const batch = all.slice(from, from + 40);
      fails = true;
      await expect(insert(batch, `log:${from}`)).rejects.toThrow('killed');
      fails = false;
      await insert(batch, `log:${from}`);
    }
    expect(await storedIds()).toMatchObject({ n: all.length, ids: all.length });
    await expectExactRollups(select);
  });

  it('count nothing twice when the process ends so, and the log is read again in other batches', async () => {
    await open();
    const all = mixed(300);
    const write = engine.insert.bind(engine);
    await insert(all.slice(0, 100), 'log:0');
    engine.insert = async (request) => {
      if (request.table === 'stats_progress_by_source') throw new Error('killed');
      await write(request);
    };
    await expect(insert(all.slice(100, 250), 'log:100')).rejects.toThrow('killed');
    await store.close();
    await open();
    for (let from = 0; from < all.length; from += 70) await insert(all.slice(from, from + 70), `again:${from}`);
    expect(await storedIds()).toMatchObject({ n: all.length, ids: all.length });
    await expectExactRollups(select);
  });

  it('count events once that come again from another source', async () => {
    await open();
    const all = mixed(120);
    await insert(all.slice(0, 100), 'log:1');
    for (const [partition, size] of [30, 50].entries()) {
      const mine = all.filter((_, i) => i % 2 === partition);
      for (let from = 0; from < mine.length; from += size)
        await store.insert({
          source: `topic/${partition}`,
          token: `t${partition}:${from}`,
          events: mine.slice(from, from + size),
        });
    }
    await insert(all, 'log:again');
    expect(await storedIds()).toMatchObject({ n: 120, ids: 120 });
    await store.fill(all, 0);
    expect(await storedIds()).toMatchObject({ n: 120, ids: 120 });
    await expectExactRollups(select);
  });

  it('have the first 500 values of a day; the others are (other) once single events have expired', async () => {
    await open(SHORT);
    const midnight = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    const [today, old] = [midnight, midnight - 5 * DAY_MS];
    const many = (at: number) =>
      Array.from({ length: 700 }, (_, i) =>
        events.make({ type: 'email.queued', at: new Date(at + i), data: { tags: { order: `o${i}`, kind: 'k' } } }),
      );
    await insert([...many(old), ...many(today)], 'one');
    const ask = (at: number, over: Partial<MetricsQuery>) =>
      store.metrics(query({ from: new Date(at), to: new Date(at + DAY_MS), metrics: ['accepted'], ...over }));
    const recent = await ask(today, { groupBy: ['tag:order'] });
    expect(recent).toMatchObject({ truncated: false, totals: { accepted: 700 } });
    expect(recent.rows).toHaveLength(700);
    const expired = await ask(old, { groupBy: ['tag:order'] });
    expect(expired).toMatchObject({ truncated: true, totals: { accepted: 700 } });
    expect(expired.rows).toHaveLength(501);
    expect(expired.rows?.find((row) => row.tags?.['order'] === '(other)')?.values).toEqual({ accepted: 200 });
    expect(await ask(old, { groupBy: ['tag:kind'] })).toMatchObject({
      truncated: false,
      rows: [{ tags: { kind: 'k' }, values: { accepted: 700 } }],
    });
    const rows = await select(
      `SELECT count() AS n FROM (SELECT DISTINCT dimension, value FROM recipient_groups_by_day)`,
    );
    expect(Number(rows[0].n)).toBeLessThan(510);
  });

  it('keep the limit over a restart, and tell that tag keys are missing beyond 100', async () => {
    await open(SHORT);
    const old = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS - 5 * DAY_MS);
    const tagged = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, i) =>
        events.make({
          type: 'email.queued',
          at: old,
          data: { tags: { order: `o${from + i}`, [`key${(from + i) % 150}`]: 'x' } },
        }),
      );
    await insert(tagged(0, 300), 'one');
    await store.close();
    await open(SHORT);
    await insert(tagged(300, 600), 'two');
    const ask = (group: `tag:${string}`) =>
      store.metrics(
        query({ from: old, to: new Date(old.getTime() + DAY_MS), metrics: ['accepted'], groupBy: [group] }),
      );
    const orders = await ask('tag:order');
    expect(orders.rows?.find((row) => row.tags?.['order'] === '(other)')?.values).toEqual({ accepted: 100 });
    expect(await ask('tag:key140')).toMatchObject({ truncated: true, rows: [{ tags: { key140: null } }] });
  });

  it('answer for ranges whose single events have expired, in quarters of an hour', async () => {
    await open(SHORT);
    const old = Math.floor(Date.now() / DAY_MS) * DAY_MS - 5 * DAY_MS;
    await insert(events.deliveries(240, new Date(old), 60_000), 'one');
    const window = { from: new Date(old + 20 * 60_000), to: new Date(old + 50 * 60_000 + 1) };
    const answer = await store.metrics(query({ ...window, metrics: ['delivered'] }));
    expect(answer.from).toEqual(new Date(old + 15 * 60_000));
    expect(answer.to).toEqual(new Date(old + 60 * 60_000));
    expect(answer.totals).toEqual({ delivered: 45 });
    const days = await store.metrics(
      query({
        ...window,
        metrics: ['delivered'],
        dimensions: ['period'],
        granularity: 'hour',
        timezone: 'Asia/Kathmandu',
      }),
    );
    expect(days.rows?.map(({ values }) => values.delivered)).toEqual([0, 45].slice(-(days.rows?.length ?? 0)));
    const refused = (over: Partial<MetricsQuery>) =>
      expect(store.metrics(query({ ...window, ...over }))).rejects.toMatchObject({
        code: 'invalid_parameter',
        details: [{ code: 'expired' }],
      });
    await refused({ dimensions: ['email'] });
    await refused({ emailIds: [newId('em')] });
    await refused({ groupBy: ['ip', 'provider'] });
    await refused({ dimensions: ['period'], granularity: 'minute' });
  });

  it.each([
    ['2026-04-04', '2026-04-07', { '2026-04-05T01:00': 9 }],
    ['2026-10-03', '2026-10-06', { '2026-10-04T02:30': 3 }],
  ])('answer by full hours of a zone whose clocks change by half an hour, from %s to %s', async (first, end, odd) => {
    await open();
    const timezone = 'Australia/Lord_Howe';
    const [from, to] = [first, end].map((date) => startOfDate(date, timezone));
    await insert(events.deliveries((to.getTime() - from.getTime()) / 600_000, from, 600_000), 'one');
    const format = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short', timeStyle: 'short' });
    for (const groupBy of [[], ['provider' as const]]) {
      const of = { from, to, timezone, groupBy, metrics: ['delivered' as const], dimensions: ['period' as const] };
      const { rows } = await store.metrics(query({ ...of, granularity: 'hour' }));
      const counts = new Map(
        rows?.map(({ period, values }) => [format.format(period).replace(' ', 'T'), values.delivered]),
      );
      const others = [...counts].filter(([at]) => !(at in odd));
      expect(others.filter(([at, count]) => count !== 6 || !at.endsWith(':00'))).toEqual([]);
      expect(Object.fromEntries([...counts].filter(([at]) => at in odd))).toEqual(odd);
      const days = await store.metrics(query({ ...of, granularity: 'day' }));
      expect(days.rows?.map(({ values }) => values.delivered)).toContain(Object.values(odd)[0] === 9 ? 147 : 141);
      expect(days.totals.delivered).toBe([...counts.values()].reduce((sum: number, n) => sum + Number(n), 0));
    }
  });

  it('are built anew from the log, and keep the days that it no longer has', async () => {
    await open();
    const all = [...events.deliveries(300, DAY, 600_000)];
    await insert(all, 'log:1');
    const logOf = (kept: LoggedEvent[]) => ({
      oldest: () => Promise.resolve(kept[0]?.position ?? 0),
      head: () => Promise.resolve(kept.at(-1)?.position ?? 0),
      read: (after: number, limit: number) =>
        Promise.resolve(kept.filter(({ position }) => position > after).slice(0, limit)),
    });
    await engine.command('TRUNCATE TABLE recipient_counts_by_hour');
    expect(await store.rebuild(logOf(all), () => undefined)).toEqual({ events: 300, since: null });
    await expectExactRollups(select);
    await engine.command(
      `ALTER TABLE recipient_counts_by_day DELETE WHERE period >= '2026-03-02' SETTINGS mutations_sync = 2`,
    );
    const since = new Date('2026-03-02T00:00:00.000Z');
    const left = all.filter(({ event }) => Date.parse(event.created_at) >= since.getTime()).length;
    expect(await store.rebuild(logOf(all.slice(60)), () => undefined)).toEqual({ events: left, since });
    await expectExactRollups(select);
    expect(await storedIds()).toMatchObject({ n: 300, ids: 300 });
    await insert(all, 'log:again');
    expect(await storedIds()).toMatchObject({ n: 300, ids: 300 });
    await expect(store.rebuild(logOf([]), () => undefined)).rejects.toThrow('empty');
  });

  it('have the same tables on a cluster, with replicated engines', async () => {
    await open();
    const { tables } = await import('../../../libs/stats/src/schema/tables.js');
    for (const text of tables({ cluster: 'mail', rawDays: 90, minuteDays: 30 })) {
      const [{ formatted }] = await engine.select<{ formatted: string }>({
        query: 'SELECT formatQuerySingleLine({text:String}) AS formatted',
        params: { text },
      });
      expect(formatted).toContain('ON CLUSTER mail');
      if (text.startsWith('CREATE TABLE')) expect(formatted).toMatch(/ENGINE = Replicated(Aggregating)?MergeTree/);
    }
  });
});
