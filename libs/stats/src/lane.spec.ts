import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Lane } from './lane.js';

describe('Lane', () => {
  it('never runs more than its limit, in order of arrival, and survives failures', async () => {
    const lane = new Lane(2);
    const order: number[] = [];
    let running = 0;
    let most = 0;
    const work = (i: number) =>
      lane.run(async () => {
        order.push(i);
        running += 1;
        most = Math.max(most, running);
        await pause(2);
        running -= 1;
        if (i % 3 === 0) throw new Error(`no ${i}`);
        return i;
      });
    const results = await Promise.allSettled(Array.from({ length: 20 }, (_, i) => work(i)));
    expect(most).toBe(2);
    expect(order).toEqual(Array.from({ length: 20 }, (_, i) => i));
    expect(results.filter((r) => r.status === 'rejected')).toHaveLength(7);
    await expect(lane.run(async () => 'free again')).resolves.toBe('free again');
  });
});
