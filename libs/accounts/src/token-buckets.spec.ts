import { describe, expect, it } from 'vitest';
import { TokenBuckets } from './token-buckets.js';

function bucketsAt(limit: number): { buckets: TokenBuckets; pass: (ms: number) => void } {
  let now = 5_000;
  return { buckets: new TokenBuckets(limit, () => now), pass: (ms) => (now += ms) };
}

describe('TokenBuckets', () => {
  it('allows a burst of the limit and refuses the next', () => {
    const { buckets } = bucketsAt(100);
    const remaining = Array.from({ length: 100 }, () => buckets.take('a')).map((v) => (v.allowed ? v.remaining : -1));
    expect(remaining).toEqual(Array.from({ length: 100 }, (_, i) => 99 - i));
    expect(buckets.take('a')).toEqual({ allowed: false, limit: 100, remaining: 0, resetSeconds: 1 });
  });

  it('lets through what the rate says over ten seconds of pressure, and nothing for a refusal', () => {
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

  it('keeps accounts apart', () => {
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

  it('forgets accounts that were silent for a second, and only them', () => {
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

  it('is off at 0', () => {
    const { buckets } = bucketsAt(0);
    for (let i = 0; i < 1_000; i++) expect(buckets.take('a').allowed).toBe(true);
    expect(buckets.size).toBe(0);
  });
});
