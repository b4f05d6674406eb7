import { describe, expect, it } from 'vitest';
import { KeyedRateLimit, TokenBucket } from './rate-limit.js';

function bucketsAt(limit: number): { buckets: KeyedRateLimit; pass: (ms: number) => void } {
  let now = 5_000;
  return { buckets: new KeyedRateLimit({ limit, clock: () => now }), pass: (ms) => (now += ms) };
}

describe('KeyedRateLimit', () => {
  it('allows a burst of the limit and refuses the next', () => {
    const { buckets } = bucketsAt(100);
    const remaining = Array.from({ length: 100 }, () => buckets.take('a')).map((v) => (v.allowed ? v.remaining : -1));
    expect(remaining).toEqual(Array.from({ length: 100 }, (_, i) => 99 - i));
    expect(buckets.take('a')).toEqual({ allowed: false, limit: 100, remaining: 0, resetSeconds: 1 });
  });

  it('allows the rate over ten seconds of load, and takes nothing for a refusal', () => {
    const { buckets, pass } = bucketsAt(100);
    let allowed = 0;
    for (let i = 0; i < 10_000; i++) {
      if (buckets.take('a').allowed) allowed += 1;
      pass(1);
    }
    // The burst of 100 comes on top of 10 s at 100/s.
    expect(allowed).toBeGreaterThanOrEqual(1_098);
    expect(allowed).toBeLessThanOrEqual(1_101);
  });

  it('limits keys separately', () => {
    const { buckets } = bucketsAt(1);
    expect(buckets.take('a').allowed).toBe(true);
    expect(buckets.take('b').allowed).toBe(true);
    expect(buckets.take('a').allowed).toBe(false);
  });

  it('never saves up more than the burst', () => {
    const { buckets, pass } = bucketsAt(3);
    buckets.take('a');
    pass(3_600_000);
    expect([1, 2, 3, 4].map(() => buckets.take('a').allowed)).toEqual([true, true, true, false]);
  });

  it('drops keys that were idle for a window, and only them', () => {
    const { buckets, pass } = bucketsAt(2);
    for (let i = 0; i < 1_000; i++) buckets.take(`old-${i}`);
    pass(600);
    buckets.take('busy');
    buckets.take('busy');
    pass(400);
    expect(buckets.take('new').allowed).toBe(true);
    expect(buckets.size).toBe(2);
    expect(buckets.take('busy').remaining).toBe(0);
    expect(buckets.take('busy').allowed).toBe(false);
  });

  it('says whether a request would be allowed, without counting it', () => {
    const { buckets, pass } = bucketsAt(1);
    expect([buckets.isAvailable('a'), buckets.isAvailable('a')]).toEqual([true, true]);
    buckets.take('a');
    expect([buckets.isAvailable('a'), buckets.isAvailable('b')]).toEqual([false, true]);
    pass(1_000);
    expect(buckets.isAvailable('a')).toBe(true);
  });

  it('is off at 0', () => {
    const { buckets } = bucketsAt(0);
    for (let i = 0; i < 1_000; i++) expect(buckets.take('a').allowed).toBe(true);
    expect(buckets.size).toBe(0);
  });

  it('takes another window, and drops the least recently used keys beyond its bound', () => {
    let now = 0;
    const limit = new KeyedRateLimit({ limit: 2, windowMs: 60_000, maxKeys: 2, clock: () => now });
    expect([1, 2, 3].map(() => limit.take('a').allowed)).toEqual([true, true, false]);
    now += 29_000;
    expect(limit.take('a').allowed).toBe(false);
    now += 1_000;
    expect(limit.take('a')).toEqual({ allowed: true, limit: 2, remaining: 0, resetSeconds: 60 });
    limit.take('b');
    limit.take('c');
    expect(limit.size).toBe(2);
    expect(limit.take('a').remaining).toBe(1);
  });
});

describe('TokenBucket', () => {
  const perMinute = { limit: 600, windowMs: 60_000, burst: 60 };

  it('begins with its burst and refills evenly up to it', () => {
    const bucket = new TokenBucket(perMinute, 0);
    expect(bucket.available(0)).toBe(60);
    for (let i = 0; i < 60; i++) bucket.take();
    expect(bucket.nextAt(0)).toBe(100);
    expect(bucket.available(99)).toBeLessThan(1);
    expect(bucket.available(100)).toBeCloseTo(1);
    expect(bucket.available(3_600_000)).toBe(60);
  });

  it('applies a share of the rate, but never less than one token', () => {
    const bucket = new TokenBucket(perMinute, 0);
    expect(bucket.available(0, 0.5)).toBe(30);
    expect(bucket.available(0, 0.001)).toBe(1);
    bucket.take();
    expect(bucket.nextAt(0, 0.5)).toBe(200);
  });

  it('takes a token back, and ignores a clock that was set back', () => {
    const bucket = new TokenBucket({ limit: 1, windowMs: 1_000, burst: 1 }, 1_000);
    bucket.available(1_000);
    bucket.take();
    bucket.refund();
    expect(bucket.available(500)).toBe(1);
  });
});
