import { describe, expect, it } from 'vitest';
import { GivenTime } from '../support/timing/given-time.js';

describe('given time', () => {
  it('is the time of the wall where the host takes nothing', () => {
    const time = new GivenTime(1_000);
    for (let at = 1_100; at <= 3_000; at += 100) time.mark(at, 0);
    expect(time.between(1_250, 2_750)).toBe(1_500);
    expect(time.between(2_990, 3_050)).toBe(60);
  });

  it('leaves out what the host took, and spreads it over the while in which it was counted', () => {
    const time = new GivenTime(0);
    time.mark(1_000, 0);
    time.mark(2_000, 500);
    time.mark(3_000, 500);
    expect(time.between(0, 3_000)).toBe(2_500);
    expect(time.taken).toBeCloseTo(1 / 6);
    expect(time.between(1_200, 1_600)).toBe(200);
    expect(time.between(2_000, 3_000)).toBe(1_000);
  });

  it('never goes back: what was counted late falls on what follows', () => {
    const time = new GivenTime(0);
    time.mark(100, 150);
    time.mark(200, 150);
    time.mark(300, 150);
    expect([0, 50, 100, 150, 200, 300].map((at) => time.between(0, at))).toEqual([0, 0, 0, 25, 50, 150]);
  });

  it('follows the kernel, and waits no shorter than was asked', async () => {
    const { time, stop } = GivenTime.follow();
    const from = Date.now();
    await time.until(from, 350);
    stop();
    expect(Date.now() - from).toBeGreaterThanOrEqual(349);
    expect(time.between(from, Date.now())).toBeLessThanOrEqual(Date.now() - from);
  });
});
