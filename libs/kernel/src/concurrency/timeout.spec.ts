import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { withTimeout } from './timeout.js';

/** Longer than a test may last. */
const HOUR_MS = 3_600_000;
const never = new Promise<never>(() => undefined);

describe('withTimeout', () => {
  it('returns the result of work that is done in time', async () => {
    expect(await withTimeout(Promise.resolve('done'), HOUR_MS, () => 'late')).toBe('done');
    expect(await withTimeout('done at once', HOUR_MS, () => 'late')).toBe('done at once');
  });

  it('passes a rejection on', async () => {
    await expect(withTimeout(Promise.reject(new Error('broken')), HOUR_MS, () => 'late')).rejects.toThrow('broken');
  });

  it('returns or throws what onTimeout does when the work takes longer', async () => {
    expect(await withTimeout(never, 5, () => 'late')).toBe('late');
    const late = () => {
      throw new Error('took too long');
    };
    await expect(withTimeout(never, 5, late)).rejects.toThrow('took too long');
  });

  it('ignores a rejection after the timeout', async () => {
    const failing = delay(20).then(() => Promise.reject(new Error('too late to matter')));
    expect(await withTimeout(failing, 5, () => 'late')).toBe('late');
    await delay(30);
  });
});
