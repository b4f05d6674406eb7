import { expect, it } from 'vitest';
import { startOfRange } from './start-of-range.ts';

const now = new Date('2026-11-26T15:30:00');

it('begins a range of seven days at the beginning of the day six days ago', () => {
  expect(startOfRange(7, now)).toBe(new Date('2026-11-20T00:00:00').toISOString());
  expect(startOfRange(30, now)).toBe(new Date('2026-10-28T00:00:00').toISOString());
});

it('has the last 24 hours for one day', () => {
  expect(startOfRange(1, now)).toBe(new Date('2026-11-25T15:30:00').toISOString());
});
