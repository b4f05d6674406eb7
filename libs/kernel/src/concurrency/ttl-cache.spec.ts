import { describe, expect, it } from 'vitest';
import { TtlCache, TtlMap } from './ttl-cache.js';

interface Load {
  key: string;
  resolve: (value: string | null) => void;
  reject: (error: Error) => void;
}

function setUp(maxEntries = 10): { cache: TtlCache<string>; loads: Load[]; pass: (ms: number) => void } {
  let now = 0;
  const loads: Load[] = [];
  const load = (key: string) =>
    new Promise<string | null>((resolve, reject) => {
      loads.push({ key, resolve, reject });
    });
  const cache = new TtlCache<string>({ load, ttlMs: 800, maxEntries, clock: () => now });
  return { cache, loads, pass: (ms) => (now += ms) };
}

describe('TtlCache', () => {
  it('shares one load between concurrent requests', async () => {
    const { cache, loads } = setUp();
    const all = Promise.all([cache.get('k'), cache.get('k'), cache.get('k')]);
    loads[0].resolve('v');
    expect(await all).toEqual(['v', 'v', 'v']);
    expect(loads).toHaveLength(1);
  });

  it('keeps presence and absence for the lifetime, and not longer', async () => {
    const { cache, loads, pass } = setUp();
    for (const value of ['v', null]) {
      const key = String(value);
      const first = cache.get(key);
      loads.at(-1)?.resolve(value);
      expect(await first).toBe(value);
      const before = loads.length;
      pass(799);
      expect(await cache.get(key)).toBe(value);
      expect(loads).toHaveLength(before);
      pass(1);
      void cache.get(key);
      expect(loads).toHaveLength(before + 1);
    }
  });

  it('counts the age from the start of the load, so that a slow database makes nothing old look new', async () => {
    const { cache, loads, pass } = setUp();
    const slow = cache.get('k');
    pass(900);
    const late = cache.get('k');
    expect(loads).toHaveLength(2);
    loads[1].resolve('new');
    expect(await late).toBe('new');
    loads[0].resolve('old');
    expect(await slow).toBe('old');
    expect(await cache.get('k')).toBe('new');
  });

  it('does not cache a failure, and reports it to all waiting requests', async () => {
    const { cache, loads } = setUp();
    const both = Promise.allSettled([cache.get('k'), cache.get('k')]);
    loads[0].reject(new Error('away'));
    expect((await both).map((result) => result.status)).toEqual(['rejected', 'rejected']);
    const again = cache.get('k');
    loads[1].resolve('v');
    expect(await again).toBe('v');
  });

  it('is bounded, and absent keys cannot displace present ones', async () => {
    const { cache, loads } = setUp(2);
    const fill = async (key: string, value: string | null) => {
      const got = cache.get(key);
      loads.at(-1)?.resolve(value);
      await got;
    };
    await fill('a', 'A');
    await fill('b', 'B');
    for (let i = 0; i < 50; i++) await fill(`junk-${i}`, null);
    const before = loads.length;
    expect([await cache.get('a'), await cache.get('b')]).toEqual(['A', 'B']);
    expect(loads).toHaveLength(before);
    await fill('c', 'C');
    void cache.get('a');
    expect(loads).toHaveLength(before + 2);
  });

  it('deletes on request, and does not cache a load in progress then', async () => {
    const { cache, loads } = setUp();
    const first = cache.get('k');
    cache.delete('k');
    loads[0].resolve(null);
    expect(await first).toBeNull();
    const second = cache.get('k');
    loads[1].resolve('v');
    expect(await second).toBe('v');
  });
});

describe('TtlMap', () => {
  it('drops entries when their lifetime is over', () => {
    let now = 0;
    const map = new TtlMap<string, number>(10, () => now);
    map.set('short', 1, 10);
    map.set('long', 2, 20);
    now = 10;
    expect([map.get('short'), map.get('long')]).toEqual([undefined, 2]);
    map.delete('long');
    expect(map.get('long')).toBeUndefined();
  });

  it('is bounded: the oldest entries leave first', () => {
    const map = new TtlMap<number, number>(3, () => 0);
    for (let i = 0; i < 3; i++) map.set(i, i, 10);
    map.set(0, 0, 10);
    map.set(3, 3, 10);
    expect([0, 1, 2, 3].map((key) => map.get(key))).toEqual([0, undefined, 2, 3]);
  });
});
