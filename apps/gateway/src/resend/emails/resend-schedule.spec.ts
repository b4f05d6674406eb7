import { describe, expect, it } from 'vitest';
import { parseResendSchedule, resendScheduleRule } from './resend-schedule.js';

const NOW = new Date('2026-03-31T10:20:30.000Z');
const at = (text: string) => parseResendSchedule(text, NOW)?.toISOString() ?? null;

describe('parseResendSchedule', () => {
  it.each([
    ['2026-04-01T09:00:00Z', '2026-04-01T09:00:00.000Z'],
    ['2026-04-01T09:00:00+02:00', '2026-04-01T07:00:00.000Z'],
    ['in 1 min', '2026-03-31T10:21:30.000Z'],
    ['in 5 minutes', '2026-03-31T10:25:30.000Z'],
    ['In an hour', '2026-03-31T11:20:30.000Z'],
    ['in 2 hours', '2026-03-31T12:20:30.000Z'],
    ['in 3 days', '2026-04-03T10:20:30.000Z'],
    ['tomorrow at 9am', '2026-04-01T09:00:00.000Z'],
    ['tomorrow at 12am', '2026-04-01T00:00:00.000Z'],
    ['today at 5:30 pm', '2026-03-31T17:30:00.000Z'],
    ['tomorrow at 17:05', '2026-04-01T17:05:00.000Z'],
    ['tomorrow', '2026-04-01T10:20:00.000Z'],
  ])('reads %s', (text, expected) => expect(at(text)).toBe(expected));

  it.each([
    '',
    'soon',
    'in minutes',
    'in 5 parsecs',
    'tomorrow at 25',
    'tomorrow at 13pm',
    'tomorrow at 9:75am',
    'friday',
  ])('does not accept %j', (text) => expect(at(text)).toBeNull());
});

describe('resendScheduleRule', () => {
  it.each([
    ['in 71 hours', undefined],
    ['in 4 days', 'too_late'],
    ['2020-01-01T00:00:00Z', 'in_the_past'],
    ['next moon', 'invalid_timestamp'],
    [7, 'invalid_timestamp'],
  ])('reports %j: %s', (value, code) => expect(resendScheduleRule(value)[0]?.code).toBe(code));
});
