import { expect, it } from 'vitest';
import { renewalTime, retryDelay } from './renewal-schedule.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const at = (day: number) => new Date(day * DAY_MS);

it('renews 30 days before the end, or in the last third of a short life', () => {
  expect(renewalTime({ validFrom: at(0), validTo: at(365) })).toEqual(at(335));
  expect(renewalTime({ validFrom: at(0), validTo: at(90) })).toEqual(at(60));
  expect(renewalTime({ validFrom: at(0), validTo: at(6) })).toEqual(at(4));
});

it('waits longer after each failure, and as long as the authority asks', () => {
  expect([1, 2, 3, 4, 5, 6, 60].map((failures) => retryDelay(failures) / HOUR_MS)).toEqual([0.25, 1, 3, 6, 12, 24, 24]);
  // Five failed validations per host and hour are permitted.
  expect(retryDelay(1) + retryDelay(2)).toBeGreaterThan(HOUR_MS);
  expect(retryDelay(1, 2 * HOUR_MS)).toBe(2 * HOUR_MS);
  expect(retryDelay(6, HOUR_MS)).toBe(DAY_MS);
  expect(retryDelay(1, 900 * DAY_MS)).toBe(7 * DAY_MS);
});
