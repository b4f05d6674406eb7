import { describe, expect, it } from 'vitest';
import { afterReading, isPlausible, type ClockState } from './clock-record.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const T0 = Date.UTC(2026, 0, 1);
const TRUSTED: ClockState = { seenAt: T0, trustedAt: T0, suspectFrom: null };

/** Readings once an hour over a time. */
function run(state: ClockState, from: number, until: number): ClockState {
  let after = state;
  for (let now = from; now <= until; now += HOUR) after = afterReading(after, now);
  return after;
}

describe('the record of the clock', () => {
  it('trusts a clock that runs on, whether or not anything else happens', () => {
    const after = run(TRUSTED, T0 + HOUR, T0 + 400 * DAY);
    expect(after).toEqual({ seenAt: T0 + 400 * DAY, trustedAt: T0 + 400 * DAY, suspectFrom: null });
    expect(isPlausible(after, T0 + 401 * DAY)).toBe(true);
  });

  it('does not trust a time that is more than a day later than the last one', () => {
    expect(isPlausible(TRUSTED, T0 + DAY)).toBe(true);
    expect(isPlausible(TRUSTED, T0 + DAY + 1)).toBe(false);
    const after = afterReading(TRUSTED, T0 + 60 * DAY);
    expect(after).toEqual({ seenAt: T0 + 60 * DAY, trustedAt: T0, suspectFrom: T0 + 60 * DAY });
    expect(isPlausible(run(after, T0 + 60 * DAY, T0 + 66 * DAY), T0 + 66 * DAY)).toBe(false);
  });

  it('trusts it again when it is set back, and when it has run on for a week', () => {
    const jumped = run(TRUSTED, T0 + 60 * DAY, T0 + 61 * DAY);
    expect(isPlausible(afterReading(jumped, T0 + 2 * HOUR), T0 + 2 * HOUR)).toBe(true);
    const week = run(jumped, T0 + 61 * DAY, T0 + 67 * DAY);
    expect(isPlausible(week, T0 + 67 * DAY)).toBe(true);
  });

  it('begins the week again with each further jump', () => {
    const once = run(TRUSTED, T0 + 60 * DAY, T0 + 65 * DAY);
    const twice = run(once, T0 + 90 * DAY, T0 + 96 * DAY);
    expect(isPlausible(twice, T0 + 96 * DAY)).toBe(false);
    expect(isPlausible(run(twice, T0 + 96 * DAY, T0 + 97 * DAY), T0 + 97 * DAY)).toBe(true);
    const back = run(twice, T0 + 70 * DAY, T0 + 76 * DAY);
    expect(isPlausible(back, T0 + 76 * DAY)).toBe(false);
  });

  it('trusts a clock that was wrong in the past and is set right', () => {
    const past = run(TRUSTED, T0 - 300 * DAY, T0 - 299 * DAY);
    expect(isPlausible(past, T0 - 299 * DAY)).toBe(true);
    const right = afterReading(past, T0 + HOUR);
    expect(isPlausible(right, T0 + HOUR)).toBe(true);
  });
});
