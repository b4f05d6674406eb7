import { expect, it } from 'vitest';
import { formatDaysLeft, formatLatency, lastHour, perMinute } from './figures.ts';

const NOW = Date.parse('2026-11-27T10:30:20Z');

it('fills the minutes of the last hour that have no events', () => {
  const minutes = [
    { at: '2026-11-27T09:30:00.000Z', accepted: 9, delivered: 9 },
    { at: '2026-11-27T09:31:00.000Z', accepted: 60, delivered: 0 },
    { at: '2026-11-27T10:30:00.000Z', accepted: 0, delivered: 120 },
  ];
  const { times, accepted, delivered } = lastHour(minutes, NOW);
  expect(times).toHaveLength(60);
  expect([times[0], times[59]].map((time) => new Date(time * 1_000).toISOString())).toEqual([
    '2026-11-27T09:31:00.000Z',
    '2026-11-27T10:30:00.000Z',
  ]);
  expect([accepted[0], accepted[59], delivered[59]]).toEqual([60, 0, 120]);
  expect([perMinute(accepted), perMinute(delivered)]).toEqual([1, 2]);
});

it.each([
  [0.5, '12 hours'],
  [41.7, '41 days'],
  [5_000, 'more than 1,000 days'],
])('says that %s days are left', (days, text) => {
  expect(formatDaysLeft(days)).toBe(text);
});

it.each([
  [340, '340 ms'],
  [2_340, '2.3 s'],
  [7_300_000, '2 h'],
])('says %d ms', (ms, text) => {
  expect(formatLatency(ms)).toBe(text);
});
