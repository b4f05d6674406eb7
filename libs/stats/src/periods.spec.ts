import { describe, expect, it } from 'vitest';
import type { Granularity } from './metrics-query.js';
import { periodStarts, startOfDate } from './periods.js';

const QUARTER_MS = 900_000;
const starts = (granularity: Granularity, timezone: string, [from, to]: [string, string]) =>
  periodStarts({ granularity, timezone, from: new Date(from), to: new Date(to) }).map((ms) =>
    new Date(ms).toISOString(),
  );

/** The slow and certain way: the instants at which the local date is another one than a quarter of an hour before. */
function datesBegin(timeZone: string, from: number, to: number): number[] {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' });
  const begins: number[] = [];
  for (let at = from; at < to; at += QUARTER_MS)
    if (
      format.format(at) > format.format(at - QUARTER_MS) &&
      format.format(at) > (begins.length ? format.format(begins[begins.length - 1]) : '')
    )
      begins.push(at);
  return begins;
}

describe('periodStarts', () => {
  it('starts with the period of the start and ends before the end', () => {
    expect(starts('day', 'UTC', ['2026-03-01T12:00:00Z', '2026-03-03T00:00:00Z'])).toEqual([
      '2026-03-01T00:00:00.000Z',
      '2026-03-02T00:00:00.000Z',
    ]);
    expect(starts('week', 'UTC', ['2026-03-04T00:00:00Z', '2026-03-09T00:00:00.001Z'])).toEqual([
      '2026-03-02T00:00:00.000Z',
      '2026-03-09T00:00:00.000Z',
    ]);
    expect(starts('month', 'UTC', ['2025-12-31T23:59:59Z', '2026-02-01T00:00:00Z'])).toEqual([
      '2025-12-01T00:00:00.000Z',
      '2026-01-01T00:00:00.000Z',
    ]);
    expect(starts('hour', 'Asia/Kathmandu', ['2026-03-01T00:00:00Z', '2026-03-01T01:16:00Z'])).toEqual([
      '2026-02-28T23:15:00.000Z',
      '2026-03-01T00:15:00.000Z',
      '2026-03-01T01:15:00.000Z',
    ]);
    expect(starts('hour', 'America/St_Johns', ['2026-01-01T00:00:00Z', '2026-01-01T00:31:00Z'])).toEqual([
      '2025-12-31T23:30:00.000Z',
      '2026-01-01T00:30:00.000Z',
    ]);
  });

  it('has days of 23 and 25 hours where clocks change', () => {
    expect(starts('day', 'Europe/Berlin', ['2026-03-28T23:00:00Z', '2026-03-29T22:00:01Z'])).toEqual([
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
    ]);
    expect(starts('day', 'Europe/Berlin', ['2026-10-24T22:00:00Z', '2026-10-25T23:00:01Z'])).toEqual([
      '2026-10-24T22:00:00.000Z',
      '2026-10-25T23:00:00.000Z',
    ]);
  });

  // Zones whose clocks change at midnight, or by half an hour, or that once left a day out.
  it.each(['Africa/Cairo', 'Asia/Beirut', 'America/Santiago', 'America/Havana', 'Australia/Lord_Howe', 'Pacific/Apia'])(
    'finds every beginning of a day in %s',
    (timezone) => {
      for (const year of [2011, 2024]) {
        const [from, to] = [Date.UTC(year, 0, 2), Date.UTC(year + 1, 0, 2)];
        const all = periodStarts({ from: new Date(from), to: new Date(to), granularity: 'day', timezone });
        expect(all.filter((at) => at >= from)).toEqual(datesBegin(timezone, from, to));
      }
    },
  );

  it('stops at the limit', () => {
    const of = { from: new Date(0), to: new Date('2026-01-01T00:00:00Z'), timezone: 'UTC' } as const;
    for (const granularity of ['hour', 'day', 'week', 'month'] as const)
      expect(periodStarts({ ...of, granularity }, 100)).toHaveLength(100);
  });

  it('finds the start of a date', () => {
    expect(startOfDate('2026-03-29', 'Europe/Berlin').toISOString()).toBe('2026-03-28T23:00:00.000Z');
    expect(startOfDate('2026-03-30', 'Europe/Berlin').toISOString()).toBe('2026-03-29T22:00:00.000Z');
    expect(startOfDate('2026-03-29', 'UTC').toISOString()).toBe('2026-03-29T00:00:00.000Z');
  });

  it('accepts every time zone of this runtime', () => {
    const of = {
      from: new Date('2026-01-01T00:00:00Z'),
      to: new Date('2026-02-01T00:00:00Z'),
      granularity: 'day',
    } as const;
    for (const timezone of Intl.supportedValuesOf('timeZone'))
      expect(periodStarts({ ...of, timezone }).length).toBeGreaterThanOrEqual(31);
  });
});
