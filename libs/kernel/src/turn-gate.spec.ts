import { describe, expect, it } from 'vitest';
import { countTurns } from '../../../test/support/count-turns.js';
import { inTurns } from './in-turns.js';
import { TurnGate } from './turn-gate.js';

describe('TurnGate', () => {
  it('lets as much through in one turn as it has room for', async () => {
    const gate = new TurnGate(100);
    const counter = countTurns();
    const passed: [task: number, turn: number][] = [];
    await Promise.all(
      [60, 40, 50, 250, 10, 10].map(async (weight, task) => {
        await gate.pass(weight);
        passed.push([task, counter.turn]);
      }),
    );
    counter.running = false;
    const turns = passed.map(([, turn]) => turn - passed[0][1]);
    expect(turns[1]).toBe(0);
    expect(Math.max(...turns)).toBeGreaterThanOrEqual(2);
    expect(new Set(turns).size).toBeGreaterThanOrEqual(3);
  });

  it('lets nobody overtake those who wait', async () => {
    const gate = new TurnGate(100);
    const passed: string[] = [];
    const step = async (name: string, weight: number) => {
      await gate.pass(weight);
      passed.push(name);
    };
    const first = [step('a', 90), step('b', 90), step('c', 5)];
    expect(gate.passes(5)).toBe(false);
    await Promise.all([...first, step('d', 90), step('e', 1)]);
    expect(passed).toEqual(['a', 'b', 'c', 'd', 'e']);
    await new Promise((resolve) => setImmediate(resolve));
    expect(gate.passes(100)).toBe(true);
  });
});

describe('inTurns', () => {
  it('keeps the order and lets others go first while it works', async () => {
    const counter = countTurns();
    const busy = (ms: number) => {
      const until = performance.now() + ms;
      while (performance.now() < until);
    };
    const turns = await inTurns([1, 2, 3, 4, 5, 6], (item) => {
      busy(6);
      return [item, counter.turn];
    });
    counter.running = false;
    expect(turns.map(([item]) => item)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(turns[5][1]).toBeGreaterThan(turns[0][1]);
    expect(await inTurns([], () => 1)).toEqual([]);
  });
});
