import { setTimeout as later } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { MemoryBudget } from './memory-budget.js';

const KIB = 1024;
const LIMITS = { bytes: 300 * KIB, shareBytes: 200 * KIB, waitMs: 10_000 };

/** A source that takes memory of a budget, and whether it is paused. */
function source(budget: MemoryBudget, ...shares: string[]) {
  const flow = { isPaused: false, pause: () => (flow.isPaused = true), resume: () => (flow.isPaused = false) };
  const reservation = budget.open(flow, shares);
  return {
    take: (bytes: number) => budget.take(reservation, bytes),
    complete: () => budget.complete(reservation),
    release: () => budget.release(reservation),
    isPaused: () => flow.isPaused,
  };
}

describe('MemoryBudget', () => {
  it('pauses sources of a share beyond its limit, but for the oldest, and no source of another share', () => {
    const budget = new MemoryBudget(LIMITS);
    const [oldest, next, other] = [source(budget, 'a'), source(budget, 'a'), source(budget, 'b')];
    oldest.take(150 * KIB);
    next.take(70 * KIB);
    other.take(70 * KIB);
    oldest.take(1);
    expect([oldest.isPaused(), next.isPaused(), other.isPaused()]).toEqual([false, true, false]);
    oldest.complete();
    expect(next.isPaused(), 'it is the oldest now').toBe(false);
  });

  it('counts a source in each of its shares until it is released', () => {
    const budget = new MemoryBudget(LIMITS);
    const processed = source(budget, 'account 1', 'network 1');
    processed.take(200 * KIB);
    processed.complete();
    const oldest = [source(budget, 'account 1'), source(budget, 'network 1')];
    const waiting = [source(budget, 'account 1', 'network 2'), source(budget, 'account 2', 'network 1')];
    for (const one of [...oldest, ...waiting]) one.take(64 * KIB);
    expect(waiting.map((one) => one.isPaused())).toEqual([true, true]);
    processed.release();
    processed.release();
    expect(waiting.map((one) => one.isPaused())).toEqual([false, false]);
    expect(budget.usedBytes).toBe(4 * 64 * KIB);
    for (const one of [...oldest, ...waiting]) one.release();
    expect(budget.usedBytes).toBe(0);
  });

  it('names the limit for which a source is refused', async () => {
    const budget = new MemoryBudget({ ...LIMITS, waitMs: 10 });
    const [oldest, sameShare, other] = [source(budget, 'a'), source(budget, 'a'), source(budget, 'b')];
    expect([oldest.take(200 * KIB), sameShare.take(64 * KIB)]).toEqual([null, null]);
    await later(30);
    expect([sameShare.take(1), sameShare.isPaused()]).toEqual(['share', false]);
    expect(other.take(64 * KIB)).toBeNull();
    await later(30);
    expect(other.take(1)).toBe('overall');
  });
});
