import { describe, expect, it } from 'vitest';
import { Bell } from './bell.js';

describe('a bell', () => {
  it('ends the wait when it rings', async () => {
    const bell = new Bell();
    setTimeout(() => bell.ring(), 10);
    const began = performance.now();
    expect(await bell.wait(5_000)).toBe(true);
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  it('keeps a ring for whoever waits next, once', async () => {
    const bell = new Bell();
    bell.ring();
    bell.ring();
    expect(await bell.wait(5_000)).toBe(true);
    expect(await bell.wait(5)).toBe(false);
  });
});
