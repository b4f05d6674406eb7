import { describe, expect, it } from 'vitest';
import { nextAttemptAt } from './retry-schedule.js';

const endedAt = new Date('2026-01-01T00:00:00Z');
const minute = 60_000;
const base = {
  scheduleMs: [minute, 3 * minute, 10 * minute],
  endedAt,
  expiresAt: new Date(endedAt.getTime() + 72 * 60 * minute),
  random: 0,
};
const after = (of: Parameters<typeof nextAttemptAt>[0]) =>
  ((nextAttemptAt(of) as Date).getTime() - endedAt.getTime()) / minute;

describe('nextAttemptAt', () => {
  it('climbs the ladder and repeats its last step', () => {
    expect([1, 2, 3, 4, 9].map((attempts) => after({ ...base, attempts }))).toEqual([1, 3, 10, 10, 10]);
  });

  it('adds up to 10% of jitter and never takes any away', () => {
    expect(after({ ...base, attempts: 2, random: 1 })).toBeCloseTo(3.3);
  });

  it('believes a remote that asks for more time, not one that asks for less', () => {
    expect(after({ ...base, attempts: 1, askedMs: 5 * minute })).toBe(5);
    expect(after({ ...base, attempts: 2, askedMs: 1 })).toBe(3);
  });

  it('makes a last attempt at the end of the lifetime and none after it', () => {
    const expiresAt = new Date(endedAt.getTime() + 2 * minute);
    expect(after({ ...base, attempts: 2, expiresAt })).toBe(2);
    expect(nextAttemptAt({ ...base, attempts: 3, expiresAt: endedAt })).toBeNull();
  });
});
