import { describe, expect, it } from 'vitest';
import { WakeSignal } from './wake-signal.js';

describe('WakeSignal', () => {
  it('ends the wait on a notification', async () => {
    const signal = new WakeSignal();
    setTimeout(() => signal.notify(), 10);
    // Longer than a test may last.
    expect(await signal.wait(600_000)).toBe(true);
  });

  it('keeps a notification for the next wait, once', async () => {
    const signal = new WakeSignal();
    signal.notify();
    signal.notify();
    expect(await signal.wait(5_000)).toBe(true);
    expect(await signal.wait(5)).toBe(false);
  });

  it('drops a kept notification on request', async () => {
    const signal = new WakeSignal();
    signal.notify();
    signal.clear();
    expect(await signal.wait(5)).toBe(false);
  });
});
