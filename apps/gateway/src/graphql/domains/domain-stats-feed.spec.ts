import { setTimeout as pause } from 'node:timers/promises';
import { STATS_COUNTERS, type DomainStats } from '#libs/contracts';
import { describe, expect, it } from 'vitest';
import { DomainStatsFeed, type DomainStatsSource } from './domain-stats-feed.js';

const TIMES = { tickMs: 5, pollMs: 20, settleMs: 200, settleIntervalMs: 10, refreshMs: 100_000 };

/** A log and a store in memory: `happen` appends an event of the domain, `accepted` is the count in the store. */
class MemorySource implements DomainStatsSource {
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
  onAppend(callback: () => void): () => void {
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
  it('sends a snapshot at once, then changes, also if the store lags behind the log', async () => {
    const source = new MemorySource();
    source.accepted = 3;
    const watcher = await new DomainStatsFeed(source, TIMES).open();
    expect((await watcher.next()).value?.accepted).toBe(3);
    const change = watcher.next();
    source.happen();
    await pause(60);
    source.accepted = 4;
    expect((await change).value?.accepted).toBe(4);
    await watcher.return();
  });

  it('sends nothing if no count changed', async () => {
    const source = new MemorySource();
    const watcher = await new DomainStatsFeed(source, TIMES).open();
    await watcher.next();
    source.happen();
    const next = watcher.next().then(() => 'pushed');
    expect(await Promise.race([next, pause(100, 'silent')])).toBe('silent');
    expect(source.readings).toBeGreaterThan(2);
    await watcher.return();
  });

  it('does not read the store for events of other domains', async () => {
    const source = new MemorySource();
    const watcher = await new DomainStatsFeed(source, TIMES).open();
    for (let i = 0; i < 10; i++) {
      source.happen(false);
      await pause(8);
    }
    expect(source.readings).toBe(1);
    await watcher.return();
  });

  it('reads once for all subscribers and stops with the last one', async () => {
    const source = new MemorySource();
    const feed = new DomainStatsFeed(source, TIMES);
    const watchers = await Promise.all([feed.open(), feed.open(), feed.open()]);
    await Promise.all(watchers.map((watcher) => watcher.next()));
    expect(source.watchers).toBe(1);
    const before = source.readings;
    source.accepted = 1;
    source.happen();
    await Promise.all(watchers.map((watcher) => watcher.next()));
    expect(source.readings - before).toBeLessThan(3);
    await Promise.all(watchers.map((watcher) => watcher.return()));
    await pause(30);
    expect(source.watchers).toBe(0);
    expect(feed.active).toBe(false);
    const again = await feed.open();
    expect((await again.next()).value?.accepted).toBe(1);
    expect(source.watchers).toBe(1);
    await again.return();
  });

  it('rejects if the snapshot cannot be read, and keeps no subscriber', async () => {
    const source = new MemorySource();
    source.broken = true;
    const feed = new DomainStatsFeed(source, TIMES);
    await expect(feed.open()).rejects.toThrow('store down');
    expect(feed.active).toBe(false);
  });

  it('continues after an outage of the store and reports it once', async () => {
    const source = new MemorySource();
    const watcher = await new DomainStatsFeed(source, TIMES).open();
    await watcher.next();
    source.broken = true;
    source.happen();
    await pause(100);
    expect(source.failures).toHaveLength(1);
    source.broken = false;
    source.accepted = 9;
    source.happen();
    expect((await watcher.next()).value?.accepted).toBe(9);
    await watcher.return();
  });
});
