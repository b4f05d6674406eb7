import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DatabaseClock } from './database-clock.js';

const HOUR_MS = 3_600_000;
const SERVER = Date.UTC(2026, 0, 1);

describe('DatabaseClock', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'hrtime', 'setTimeout'], now: SERVER + HOUR_MS }));
  afterEach(() => void vi.useRealTimers());

  it('is the clock of the system before the first reading, then that of the server', async () => {
    const clock = new DatabaseClock();
    expect(clock.now()).toBe(SERVER + HOUR_MS);
    expect(await clock.synchronise(async () => SERVER)).toBeNull();
    vi.advanceTimersByTime(5_000);
    expect(clock.date()).toEqual(new Date(SERVER + 5_000));
  });

  it('does not follow a system clock that is set, and reports its jump once', async () => {
    const clock = new DatabaseClock();
    await clock.synchronise(async () => SERVER);
    vi.setSystemTime(SERVER - 2 * HOUR_MS);
    vi.advanceTimersByTime(10_000);
    expect(clock.now()).toBe(SERVER + 10_000);
    expect(await clock.synchronise(async () => SERVER + 10_000)).toEqual({ databaseMs: 0, systemMs: -3 * HOUR_MS });
    expect(await clock.synchronise(async () => SERVER + 10_000)).toBeNull();
  });

  it('follows a server clock that is set, and reports its jump once', async () => {
    const clock = new DatabaseClock();
    await clock.synchronise(async () => SERVER);
    expect(await clock.synchronise(async () => SERVER + HOUR_MS)).toEqual({ databaseMs: HOUR_MS, systemMs: 0 });
    expect(clock.now()).toBe(SERVER + HOUR_MS);
    expect(await clock.synchronise(async () => SERVER + HOUR_MS + 20)).toBeNull();
  });

  it('is never ahead of the server, and behind by no more than the fastest answer took', async () => {
    const clock = new DatabaseClock();
    const answerAfter = (ms: number) => async () => {
      const readAt = Date.now() - HOUR_MS;
      vi.advanceTimersByTime(ms);
      return readAt;
    };
    const behind = () => Date.now() - HOUR_MS - clock.now();
    await clock.synchronise(answerAfter(3_000));
    expect(behind()).toBe(3_000);
    await clock.synchronise(answerAfter(2));
    expect(behind()).toBe(2);
    expect(await clock.synchronise(answerAfter(3_000))).toBeNull();
    expect(behind()).toBe(2);
  });
});
