import { setTimeout as pause } from 'node:timers/promises';
import { STATS_COUNTERS, type DomainStats } from '#libs/contracts';
import { describe, expect, it } from 'vitest';
import { DomainStatsFeed, type DomainStatsSource } from './domain-stats-feed.js';

const TIMES = { tickMs: 5, lookMs: 20, settleMs: 200, settleEveryMs: 10, refreshMs: 100_000 };

/** A log and a store in memory: `happen` appends an event of the domain, `count` is what the store has counted. */
class House implements DomainStatsSource {
  readings = 0;
  watchers = 0;
  failures: unknown[] = [];
  broken = false;
  accepted = 0;
  private readonly own: number[] = [];
  private position = 0;
  private callback: (() => void) | undefined;

  happen(isOwn = true): void {
    this.position += 1;
    if (isOwn) this.own.push(this.position);
    this.callback?.();
  }
  read(): Promise<DomainStats> {
    this.readings += 1;
    if (this.broken) return Promise.reject(new Error('store down'));
    const counts = Object.fromEntries(STATS_COUNTERS.map((counter) => [counter, 0]));
    const stats = { ...counts, domainId: 'dom_1', from: new Date(0), to: new Date(), accepted: this.accepted };
    return Promise.resolve(stats as unknown as DomainStats);
  }
  head(): Promise<number> {
    return Promise.resolve(this.position);
  }
  firstAfter(position: number): Promise<number | null> {
    return Promise.resolve(this.own.find((own) => own > position) ?? null);
  }
  onMove(callback: () => void): () => void {
    this.watchers += 1;
    this.callback = callback;
    return () => {
      this.watchers -= 1;
      this.callback = undefined;
    };
  }
  onFailure(error: unknown): void {
    this.failures.push(error);
  }
}

describe('DomainStatsFeed', () => {
  it('gives a snapshot at once, then what changed, also when the store lags behind the log', async () => {
    const house = new House();
    house.accepted = 3;
    const watcher = await new DomainStatsFeed(house, TIMES).open();
    expect((await watcher.next()).value?.accepted).toBe(3);
    const change = watcher.next();
    house.happen();
    await pause(60);
    house.accepted = 4;
    expect((await change).value?.accepted).toBe(4);
    await watcher.return();
  });

  it('pushes nothing when no count changed', async () => {
    const house = new House();
    const watcher = await new DomainStatsFeed(house, TIMES).open();
    await watcher.next();
    house.happen();
    const next = watcher.next().then(() => 'pushed');
    expect(await Promise.race([next, pause(100, 'silent')])).toBe('silent');
    expect(house.readings).toBeGreaterThan(2);
    await watcher.return();
  });

  it('does not read the store for events of other domains', async () => {
    const house = new House();
    const watcher = await new DomainStatsFeed(house, TIMES).open();
    for (let i = 0; i < 10; i++) {
      house.happen(false);
      await pause(8);
    }
    expect(house.readings).toBe(1);
    await watcher.return();
  });

  it('reads once for all its watchers and stops with the last of them', async () => {
    const house = new House();
    const feed = new DomainStatsFeed(house, TIMES);
    const watchers = await Promise.all([feed.open(), feed.open(), feed.open()]);
    await Promise.all(watchers.map((watcher) => watcher.next()));
    expect(house.watchers).toBe(1);
    const before = house.readings;
    house.accepted = 1;
    house.happen();
    await Promise.all(watchers.map((watcher) => watcher.next()));
    expect(house.readings - before).toBeLessThan(3);
    await Promise.all(watchers.map((watcher) => watcher.return()));
    await pause(30);
    expect(house.watchers).toBe(0);
    expect(feed.watched).toBe(false);
    const again = await feed.open();
    expect((await again.next()).value?.accepted).toBe(1);
    expect(house.watchers).toBe(1);
    await again.return();
  });

  it('says so when there is no snapshot to be had, and keeps nothing', async () => {
    const house = new House();
    house.broken = true;
    const feed = new DomainStatsFeed(house, TIMES);
    await expect(feed.open()).rejects.toThrow('store down');
    expect(feed.watched).toBe(false);
  });

  it('outlives a store that is down for a while, with one complaint', async () => {
    const house = new House();
    const watcher = await new DomainStatsFeed(house, TIMES).open();
    await watcher.next();
    house.broken = true;
    house.happen();
    await pause(100);
    expect(house.failures).toHaveLength(1);
    house.broken = false;
    house.accepted = 9;
    house.happen();
    expect((await watcher.next()).value?.accepted).toBe(9);
    await watcher.return();
  });
});
