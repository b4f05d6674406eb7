import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Refusal, type LoggedEvent, type StatsCounter } from '#libs/contracts';
import type { CountsOf } from './counted.js';
import { LiveStats, type LoadedMinutes } from './live-stats.js';
import { noCounts } from './minute-window.js';

const MINUTE = 60_000;
const NOW = Date.parse('2026-03-01T12:00:30.000Z');

/** A log and a store in memory; the store has what the sink has stored. */
class World {
  readonly log: LoggedEvent[] = [];
  stored = 0;
  oldestPosition = 0;
  loads = 0;
  reads = 0;
  store: 'up' | 'down' = 'up';
  /** Called while a load is in progress. */
  duringLoad: () => void = () => undefined;
  private listener: ((events: readonly LoggedEvent[]) => void) | undefined;
  followers = 0;
  readonly live = new LiveStats(
    {
      load: (of, from) => this.load(of, from),
      counterOf: ({ event, test }) => (test ? null : (event.type.slice('email.'.length) as StatsCounter)),
      follow: async (listener) => {
        this.listener = listener;
        this.followers += 1;
        const position = this.log.length;
        return { position, stop: () => (this.followers -= 1) };
      },
      read: async (position, limit) => {
        this.reads += 1;
        return this.log.slice(position, position + limit);
      },
      oldest: async () => this.oldestPosition,
      now: () => Date.now(),
    },
    { loads: 2, replay: 1_000, keepMs: 60_000 },
  );

  add(counter: StatsCounter, { domain = 'dom_a', at = Date.now(), test = false } = {}): void {
    const event = { account_id: 'acc_a', type: `email.${counter}`, created_at: new Date(at).toISOString() };
    const logged = { event, domainId: domain, test, position: this.log.length + 1 } as unknown as LoggedEvent;
    this.log.push(logged);
    this.listener?.([logged]);
  }

  private async load({ accountId, domainId }: CountsOf, from: Date): Promise<LoadedMinutes> {
    this.loads += 1;
    if (this.store === 'down') throw new Refusal('service_unavailable');
    const position = this.stored;
    const minutes = new Map<number, ReturnType<typeof noCounts>>();
    for (const { event, domainId: domain, test } of this.log.slice(0, position)) {
      const at = Date.parse(event.created_at);
      if (test || event.account_id !== accountId || (domainId !== null && domain !== domainId) || at < from.getTime())
        continue;
      const minute = at - (at % MINUTE);
      const counts = minutes.get(minute) ?? noCounts();
      counts[event.type.slice('email.'.length) as StatsCounter] += 1;
      minutes.set(minute, counts);
    }
    await Promise.resolve();
    this.duringLoad();
    return { position, minutes: [...minutes].map(([minute, counts]) => ({ minute, counts })) };
  }
}

describe('LiveStats', () => {
  let world: World;
  beforeEach(() => {
    vi.useFakeTimers({ now: NOW, toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
    world = new World();
  });
  afterEach(() => {
    world.live.close();
    vi.useRealTimers();
  });
  const open = (domainIds: string[] | null = ['dom_a']) => world.live.open('acc_a', domainIds);
  const delivered = async (domainIds: string[] | null = ['dom_a']) =>
    (await open(domainIds)).current().counts.delivered;

  it('counts each event once, wherever the store is in the log', async () => {
    for (const stored of [0, 1, 2, 3]) {
      world.live.close();
      if (stored === 0) for (let i = 0; i < 3; i++) world.add('delivered');
      world.stored = stored;
      expect(await delivered()).toBe(3);
    }
  });

  it('counts events that come while the counts are loaded, whether the store has them already or not', async () => {
    world.add('delivered');
    world.stored = 1;
    world.duringLoad = () => world.add('delivered');
    expect(await delivered()).toBe(2);
    world.live.close();
    // The store is ahead of the tail.
    world.duringLoad = () => undefined;
    const counts = await open(['dom_b']);
    world.stored = world.log.length + 1;
    expect(counts.current().counts.delivered).toBe(0);
  });

  it('skips events of the tail that the store had already', async () => {
    const load = vi.spyOn(world as unknown as { load: () => Promise<LoadedMinutes> }, 'load');
    const minute = NOW - (NOW % MINUTE);
    load.mockResolvedValue({ position: 2, minutes: [{ minute, counts: { ...noCounts(), delivered: 2 } }] });
    const counts = await open();
    for (let i = 0; i < 3; i++) world.add('delivered');
    expect(counts.current().counts.delivered).toBe(3);
  });

  it('reads neither the store nor the log for what is already loaded', async () => {
    world.add('delivered');
    const counts = await Promise.all([open(), open(), open()]);
    expect(new Set(counts).size).toBe(1);
    expect(world.loads).toBe(1);
    const { reads } = world;
    for (let i = 0; i < 100; i++) world.add('delivered');
    expect(counts[0].current().counts.delivered).toBe(101);
    await vi.advanceTimersByTimeAsync(10 * MINUTE);
    expect([world.loads, world.reads]).toEqual([1, reads]);
  });

  it('reads the part of the log that the store lacks once for all domains', async () => {
    for (let i = 0; i < 10; i++) world.add('delivered', { domain: `dom_${i}` });
    for (let i = 0; i < 10; i++) expect(await delivered([`dom_${i}`])).toBe(1);
    expect(world.reads).toBe(1);
  });

  it('adds up domains, and the whole account with mail of every domain', async () => {
    world.add('delivered');
    world.add('delivered', { domain: 'dom_b' });
    world.add('delivered', { domain: 'dom_c', test: true });
    const [two, all] = [await open(['dom_b', 'dom_a']), await open(null)];
    world.add('bounced', { domain: 'dom_c' });
    expect([two.current().counts, all.current().counts]).toMatchObject([
      { delivered: 2, bounced: 0 },
      { delivered: 2, bounced: 1 },
    ]);
  });

  it('lets the window slide without reading anything', async () => {
    world.add('delivered', { at: NOW - 23 * 60 * MINUTE });
    world.add('delivered', { at: NOW - 25 * 60 * MINUTE });
    world.stored = 2;
    const counts = await open();
    const seen: number[] = [counts.current().counts.delivered];
    counts.onChange(() => seen.push(counts.current().counts.delivered));
    const { loads } = world;
    await vi.advanceTimersByTimeAsync(61 * MINUTE);
    expect(seen).toEqual([1, 0]);
    expect(world.loads).toBe(loads);
  });

  it('goes on counting after the clock was set ahead and back, with what had left the window meanwhile', async () => {
    world.add('delivered', { at: NOW - 5 * MINUTE });
    world.add('delivered', { at: NOW });
    world.stored = 2;
    const counts = await open();
    counts.onChange(() => undefined);
    const shown = () => counts.current().counts.delivered;
    vi.setSystemTime(NOW + 2 * 24 * 60 * MINUTE);
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(shown()).toBe(0);
    world.add('delivered');
    expect(shown()).toBe(1);
    vi.setSystemTime(NOW + MINUTE);
    await vi.advanceTimersByTimeAsync(MINUTE);
    world.add('delivered');
    world.add('delivered');
    expect(shown()).toBe(5);
    expect(counts.current().from.getTime()).toBeLessThan(NOW);
    const { loads } = world;
    await vi.advanceTimersByTimeAsync(3 * MINUTE);
    expect([shown(), world.loads]).toEqual([5, loads]);
  });

  it('reads the window again until the store responds, and counts meanwhile', async () => {
    world.add('delivered');
    world.stored = 1;
    const counts = await open();
    counts.onChange(() => undefined);
    vi.setSystemTime(NOW + 3 * 24 * 60 * MINUTE);
    await vi.advanceTimersByTimeAsync(MINUTE);
    world.store = 'down';
    vi.setSystemTime(NOW + MINUTE);
    await vi.advanceTimersByTimeAsync(MINUTE);
    world.add('delivered');
    expect(counts.current().counts.delivered).toBe(1);
    world.store = 'up';
    await vi.advanceTimersByTimeAsync(2 * MINUTE);
    expect(counts.current().counts.delivered).toBe(2);
  });

  it('tells the first change after a pause at once, then at most ten a second, and the last one for certain', async () => {
    const counts = await open();
    const seen: number[] = [];
    counts.onChange(() => seen.push(counts.current().counts.delivered));
    world.add('delivered');
    await vi.advanceTimersByTimeAsync(0);
    expect(seen).toEqual([1]);
    for (let i = 0; i < 100; i++) {
      world.add('delivered');
      await vi.advanceTimersByTimeAsync(10);
    }
    await vi.advanceTimersByTimeAsync(200);
    expect(seen.length).toBeGreaterThanOrEqual(10);
    expect(seen.length).toBeLessThanOrEqual(12);
    expect(seen.at(-1)).toBe(101);
  });

  it('gives all subscribers the same object until the counts change', async () => {
    const counts = await open();
    const first = counts.current();
    world.add('delivered', { domain: 'dom_b' });
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(counts.current()).toBe(first);
    world.add('delivered');
    expect(counts.current()).not.toBe(first);
  });

  it('refuses while the store does not respond, and works afterwards', async () => {
    world.store = 'down';
    await expect(open()).rejects.toThrow(expect.objectContaining({ code: 'service_unavailable' }) as Error);
    world.store = 'up';
    world.add('delivered');
    expect(await delivered()).toBe(1);
  });

  it('refuses when the store is older than the log, or too far behind', async () => {
    for (let i = 0; i < 10; i++) world.add('delivered');
    [world.stored, world.oldestPosition] = [3, 5];
    await expect(open()).rejects.toThrow('behind the event log');
    world.oldestPosition = 4;
    expect(await delivered()).toBe(10);
    world.live.close();
    for (let i = 0; i < 1_000; i++) world.add('delivered');
    await expect(open()).rejects.toThrow('1007 events behind');
  });

  it('goes on counting for subscribers while the store is down or is built anew', async () => {
    world.add('delivered');
    world.stored = 1;
    const counts = await open();
    world.store = 'down';
    world.stored = 0;
    world.add('delivered');
    expect(counts.current().counts.delivered).toBe(2);
  });

  it('keeps counts for those who reconnect, then forgets them and stops reading the log', async () => {
    const counts = await open();
    const leave = counts.onChange(() => undefined);
    leave();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await open()).toBe(counts);
    const stay = (await open()).onChange(() => undefined);
    await vi.advanceTimersByTimeAsync(5 * MINUTE);
    expect(await open()).toBe(counts);
    stay();
    await vi.advanceTimersByTimeAsync(3 * MINUTE);
    expect(world.followers).toBe(0);
    expect(await open()).not.toBe(counts);
    expect(world.followers).toBe(1);
  });
});
