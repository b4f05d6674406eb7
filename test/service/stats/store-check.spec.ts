import { wholeAccount } from '#libs/contracts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectExactRollups } from '../../support/stats/exact-rollups.js';
import { DamagedStore, OLD_DAYS, type Contents } from '../../support/stats/stats-damage.js';
import { until } from '../../support/timing/until.js';
import { createTestDatabase, type OpenTestDatabase } from '../../support/persistence/test-database.js';

describe('a damaged statistics store', { timeout: 120_000 }, () => {
  let home: OpenTestDatabase;
  let damaged: DamagedStore;
  let original: DamagedStore;
  let whole: Contents;

  beforeAll(async () => {
    home = await createTestDatabase();
    original = await DamagedStore.create(home.database);
    whole = original.whole;
  });
  afterAll(async () => {
    await original.remove();
    await home.close();
  });
  beforeEach(async () => {
    damaged = await original.copy();
  });
  afterEach(() => damaged.remove());

  const delivered = async () => {
    const [from, to] = [new Date(`${damaged.days[0]}T00:00:00Z`), new Date()];
    const { accountId, domainId } = damaged.events;
    return (await damaged.store.domainStats(wholeAccount(accountId), domainId, { from, to })).delivered;
  };

  it('gets the rows of deleted folders back from other tables and from the event log', async () => {
    for (const table of ['recipient_counts_by_day', 'recipient_groups_by_day', 'recipient_positions', 'stats_layouts'])
      await damaged.deleteFolder(table);
    const { refilled, incomplete, setAside, lines } = await damaged.recover();
    expect(lines[0]).toMatchObject({ level: 'warn', event: 'the statistics store may have lost rows' });
    expect(refilled.tables.length).toBe(damaged.days.length);
    expect([incomplete, setAside]).toEqual([[], []]);
    expect(await damaged.contents()).toEqual(whole);
    await expectExactRollups(damaged.select);
    expect(await delivered()).toBe(damaged.all.length - 2 * damaged.days.length);
  });

  it('refills the days of the log when single events are gone, and names the others as incomplete', async () => {
    await damaged.deleteFolder('recipient_events');
    await damaged.deleteFolder('stats_progress_by_source');
    const { refilled, incomplete, lines } = await damaged.recover();
    expect(refilled.log).toEqual(damaged.days.slice(OLD_DAYS));
    expect(incomplete).toEqual(damaged.days.slice(0, OLD_DAYS));
    expect(lines.at(-1)).toMatchObject({ level: 'warn', days: damaged.days.slice(0, OLD_DAYS) });
    expect(await damaged.metrics.metrics()).toContain(`postloft_stats_incomplete_day{day="${damaged.days[0]}"} 1`);
    const { recipient_events: events, ...others } = await damaged.contents();
    expect(Object.keys(events)).toEqual(damaged.days.slice(OLD_DAYS));
    expect(others).toEqual(Object.fromEntries(Object.entries(whole).filter(([name]) => name !== 'recipient_events')));
    // The log is read again from its start.
    await damaged.store.insert({ source: 'log', token: 'again', events: damaged.logged });
    expect((await damaged.contents())['recipient_counts_by_hour']).toEqual(whole['recipient_counts_by_hour']);
  });

  it('prepares tables that are lost while the program runs, and makes their rows anew', async () => {
    await damaged.open();
    const stopping = new AbortController();
    const check = damaged.check();
    await check.atStart('analytics', stopping.signal);
    await damaged.command('DROP TABLE recipient_counts_by_hour SYNC');
    await damaged.deleteFolder('recipient_groups_by_day');
    const next = damaged.events.deliveries(1, new Date(), 1_000);
    next[0].position = damaged.all.length + 1;
    const insert = () => damaged.store.insert({ source: 'log', token: 'next', events: next });
    await expect(insert()).rejects.toThrow(/recipient_counts_by_hour/);
    const running = check.run('analytics', stopping.signal);
    const tryInsert = () =>
      insert().then(
        () => true,
        () => false,
      );
    await until(tryInsert, { withinMs: 60_000, everyMs: 200 });
    await until(() => Promise.resolve(damaged.lines.some(({ event }) => event.includes('rebuilt'))));
    stopping.abort();
    await running;
    const contents = await damaged.contents();
    expect(contents['recipient_groups_by_day']).toMatchObject(whole['recipient_groups_by_day']);
    expect(contents['recipient_counts_by_hour']).toMatchObject(whole['recipient_counts_by_hour']);
    await expectExactRollups(damaged.select);
  });

  it('takes no events before it has been verified, so that none counts again by its lost position', async () => {
    await damaged.deleteFolder('recipient_positions');
    await damaged.open();
    damaged.logFails = true;
    const stopping = new AbortController();
    const check = damaged.check();
    await check.atStart('analytics', stopping.signal);
    const again = () => damaged.store.fill(damaged.logged, 1);
    await expect(again()).rejects.toThrow('being verified');
    damaged.logFails = false;
    const running = check.run('analytics', stopping.signal);
    await until(() => Promise.resolve(!damaged.store.areInsertsHeld));
    await again();
    stopping.abort();
    await running;
    expect(await damaged.contents()).toEqual(whole);
  });

  it('sets aside a part that cannot be read, and nothing else', async () => {
    const [part] = await damaged.parts('recipient_counts_by_hour');
    await damaged.truncatePart('recipient_counts_by_hour', part);
    const { incomplete, setAside } = await damaged.recover();
    expect(setAside).toEqual([expect.stringMatching(/^chdb\.broken-.*\/recipient_counts_by_hour$/)]);
    expect(incomplete).toEqual([]);
    expect(await damaged.contents()).toEqual(whole);
    await expectExactRollups(damaged.select);
  });
});
