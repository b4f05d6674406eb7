import { describe, expect, it } from 'vitest';
import { Bell } from './bell.js';

describe('a bell', () => {
  it('ends the wait when it rings', async () => {
    const bell = new Bell();
    setTimeout(() => bell.ring(), 10);
    // Longer than a test may last.
    expect(await bell.wait(600_000)).toBe(true);
  });

  it('keeps a ring for whoever waits next, once', async () => {
    const bell = new Bell();
    bell.ring();
    bell.ring();
    expect(await bell.wait(5_000)).toBe(true);
    expect(await bell.wait(5)).toBe(false);
  });
});
