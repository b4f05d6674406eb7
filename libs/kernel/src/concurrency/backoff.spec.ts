import { describe, expect, it } from 'vitest';
import { backoffMs, sleep } from './backoff.js';

describe('backoffMs', () => {
  it('grows with the number of failures up to five seconds', () => {
    expect([0, 1, 2, 3, 4, 5, 6, 7, 1_000].map(backoffMs)).toEqual([
      100, 100, 250, 500, 1_000, 2_000, 5_000, 5_000, 5_000,
    ]);
  });
});

describe('sleep', () => {
  it('ends early when its signal aborts, also if that happened before', async () => {
    const controller = new AbortController();
    // Longer than a test may last.
    const sleeping = sleep(3_600_000, controller.signal);
    controller.abort();
    await sleeping;
    await sleep(3_600_000, controller.signal);
  });
});
