import { describe, expect, it } from 'vitest';
import { countTurns } from '../../../../test/support/timing/count-turns.js';
import { concatYielding, mapYielding, runYielding, sortYielding } from './event-loop.js';

const MIB = 1024 * 1024;

describe('mapYielding', () => {
  it('keeps the order and yields while it works', async () => {
    const counter = countTurns();
    const busy = (ms: number) => {
      const end = performance.now() + ms;
      while (performance.now() < end);
    };
    const seen = await mapYielding([1, 2, 3, 4, 5, 6], (item) => {
      busy(6);
      return [item, counter.turn];
    });
    counter.running = false;
    expect(seen.map(([item]) => item)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(seen[5][1]).toBeGreaterThan(seen[0][1]);
    expect(await mapYielding([], () => 1)).toEqual([]);
  });
});

describe('runYielding', () => {
  it('returns the result of the steps and yields between long ones', async () => {
    const counter = countTurns();
    const turns: number[] = [];
    function* work(): Generator<void, string> {
      for (let i = 0; i < 5; i += 1) {
        const end = performance.now() + 6;
        while (performance.now() < end);
        turns.push(counter.turn);
        yield;
      }
      return 'done';
    }
    expect(await runYielding(work())).toBe('done');
    counter.running = false;
    expect(new Set(turns).size).toBe(5);
  });
});

describe('concatYielding', () => {
  it.each([
    ['many pieces', Array.from({ length: 1_000 }, (_, i) => Buffer.alloc(10_000 + i, i))],
    ['a small piece before a large one', [Buffer.from('head'), Buffer.alloc(8 * MIB, 'body')]],
    ['empty pieces', [Buffer.alloc(0), Buffer.alloc(8 * MIB, 'x'), Buffer.alloc(0), Buffer.from('y')]],
  ])('joins %s unchanged, and yields while it copies', async (_, pieces) => {
    const counter = countTurns();
    const whole = await concatYielding(pieces);
    counter.running = false;
    expect(whole.equals(Buffer.concat(pieces))).toBe(true);
    expect(counter.turn).toBeGreaterThanOrEqual(Math.floor((4 * whole.length) / MIB) - 1);
  });

  it('returns a single piece without a copy', async () => {
    const piece = Buffer.from('alone');
    expect(await concatYielding([piece])).toBe(piece);
    expect((await concatYielding([])).length).toBe(0);
  });
});

describe('sortYielding', () => {
  const byWord = (a: { word: string }, b: { word: string }) => (a.word < b.word ? -1 : Number(a.word > b.word));

  it.each([0, 1, 4_096, 4_097, 30_000])('sorts %i items like toSorted, and is stable', async (length) => {
    const items = Array.from({ length }, (_, i) => ({ word: String((i * 7_919) % 1_009), i }));
    expect(await sortYielding(items, byWord)).toEqual(items.toSorted(byWord));
  });

  it('yields while it sorts', async () => {
    const counter = countTurns();
    const items = Array.from({ length: 50_000 }, (_, i) => ({ word: String(-i) }));
    await sortYielding(items, byWord);
    counter.running = false;
    expect(counter.turn).toBeGreaterThan(10);
  });
});
