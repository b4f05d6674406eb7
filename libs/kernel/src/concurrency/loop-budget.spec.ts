import { describe, expect, it } from 'vitest';
import { countTurns } from '../../../../test/support/timing/count-turns.js';
import { LoopBudget } from './loop-budget.js';

describe('LoopBudget', () => {
  it('lets as much work through in one iteration as the budget affords', async () => {
    const budget = new LoopBudget(100);
    const counter = countTurns();
    const passed: [task: number, iteration: number][] = [];
    await Promise.all(
      [60, 40, 50, 250, 10, 10].map(async (cost, task) => {
        await budget.spend(cost);
        passed.push([task, counter.turn]);
      }),
    );
    counter.running = false;
    const iterations = passed.map(([, iteration]) => iteration - passed[0][1]);
    expect(iterations[1]).toBe(0);
    expect(Math.max(...iterations)).toBeGreaterThanOrEqual(2);
    expect(new Set(iterations).size).toBeGreaterThanOrEqual(3);
  });

  it('serves waiting tasks in the order of their arrival', async () => {
    const budget = new LoopBudget(100);
    const passed: string[] = [];
    const step = async (name: string, cost: number) => {
      await budget.spend(cost);
      passed.push(name);
    };
    const first = [step('a', 90), step('b', 90), step('c', 5)];
    expect(budget.trySpend(5)).toBe(false);
    await Promise.all([...first, step('d', 90), step('e', 1)]);
    expect(passed).toEqual(['a', 'b', 'c', 'd', 'e']);
    await new Promise((resolve) => setImmediate(resolve));
    expect(budget.trySpend(100)).toBe(true);
  });
});
