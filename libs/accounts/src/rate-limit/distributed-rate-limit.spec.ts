import { describe, expect, it } from 'vitest';
import { DistributedRateLimit } from './distributed-rate-limit.js';
import type { Lease } from './token-leases.js';

const LIMIT = 100;

/** The bucket in the database, and processes on one clock. */
class SharedBucket {
  now = 5_000;
  tokens = LIMIT;
  filledAt = 5_000;
  leases = 0;
  fails = false;
  /** Answers wait for this. */
  slow: Promise<void> | null = null;

  process(slice = 10): DistributedRateLimit {
    return new DistributedRateLimit({ limit: LIMIT, clock: () => this.now, lease: () => this.lease(slice) });
  }

  private async lease(slice: number): Promise<Lease> {
    this.leases += 1;
    await this.slow;
    if (this.fails) throw new Error('away');
    this.tokens = Math.min(LIMIT, this.tokens + ((this.now - this.filledAt) / 1_000) * LIMIT);
    this.filledAt = this.now;
    const granted = Math.min(slice, Math.floor(this.tokens));
    this.tokens -= granted;
    return { granted, tokens: this.tokens };
  }
}

const allowedOf = async (takes: Promise<{ allowed: boolean }>[]) =>
  (await Promise.all(takes)).filter((verdict) => verdict.allowed).length;

describe('DistributedRateLimit', () => {
  it('returns the remaining tokens of the shared bucket', async () => {
    const buckets = new SharedBucket().process();
    expect(await buckets.take('a')).toEqual({ allowed: true, limit: 100, remaining: 99, resetSeconds: 1 });
    for (let i = 0; i < 98; i++) await buckets.take('a');
    expect(await buckets.take('a')).toMatchObject({ allowed: true, remaining: 0 });
    expect(await buckets.take('a')).toEqual({ allowed: false, limit: 100, remaining: 0, resetSeconds: 1 });
  });

  it('allows concurrent requests exactly the burst, with one lease for ten of them', async () => {
    const shared = new SharedBucket();
    const buckets = shared.process();
    expect(await allowedOf(Array.from({ length: 300 }, () => buckets.take('a')))).toBe(100);
    expect(shared.leases).toBe(10);
  });

  it('keeps three processes together within the limit under load', async () => {
    const shared = new SharedBucket();
    const processes = [shared.process(), shared.process(), shared.process()];
    let allowed = 0;
    for (; shared.now < 15_000; shared.now += 1)
      for (const buckets of processes) if ((await buckets.take('a')).allowed) allowed += 1;
    // Ten seconds at 100/s on top of the burst.
    expect(allowed).toBeGreaterThanOrEqual(1_078);
    expect(allowed).toBeLessThanOrEqual(1_101);
    // Each asks an empty bucket 40 times a second, not at every request.
    expect(shared.leases).toBeLessThan(10 * 3 * 40 + 30);
  });

  it('does not keep leased tokens', async () => {
    const shared = new SharedBucket();
    const buckets = shared.process();
    await buckets.take('a');
    shared.now += 251;
    shared.tokens = 0;
    shared.filledAt = shared.now;
    expect((await buckets.take('a')).allowed).toBe(false);
  });

  it('leases again soon after an empty bucket', async () => {
    const shared = new SharedBucket();
    shared.tokens = 0;
    const buckets = shared.process();
    expect((await buckets.take('a')).allowed).toBe(false);
    shared.now += 20;
    expect((await buckets.take('a')).allowed).toBe(false);
    expect(shared.leases).toBe(1);
    shared.now += 5;
    expect((await buckets.take('a')).allowed).toBe(true);
  });

  it('limits by itself while the shared bucket is unavailable, and tries it once a second', async () => {
    const shared = new SharedBucket();
    const buckets = shared.process();
    shared.fails = true;
    expect(await allowedOf(Array.from({ length: 150 }, () => buckets.take('a')))).toBe(100);
    expect(shared.leases).toBe(1);
    shared.fails = false;
    shared.tokens = 0;
    shared.filledAt = shared.now += 1_000;
    expect((await buckets.take('a')).allowed).toBe(false);
    expect(shared.leases).toBe(2);
  });

  it('waits for a slow bucket for at most a second', async () => {
    const shared = new SharedBucket();
    shared.slow = new Promise(() => undefined);
    const buckets = shared.process();
    expect(await allowedOf([buckets.take('a'), buckets.take('a')])).toBe(2);
    expect((await buckets.take('b')).allowed).toBe(true);
    expect(shared.leases).toBe(1);
  });

  it('drops idle accounts', async () => {
    const shared = new SharedBucket();
    const buckets = shared.process();
    for (let i = 0; i < 1_000; i++) await buckets.take(`old-${i}`);
    shared.now += 300;
    await buckets.take('new');
    expect(buckets.size).toBe(1);
  });
});
