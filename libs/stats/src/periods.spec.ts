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

/**
 * The same for hours: the half minutes that local time shows as a full hour, and those whose local hour is another one than
 * that of the half minute before, because clocks were put forward past its beginning.
 */
function hoursBegin(timeZone: string, from: number, to: number): number[] {
  const parts = { day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric', hourCycle: 'h23' } as const;
  const format = new Intl.DateTimeFormat('en-GB', { ...parts, timeZone });
  const localAt = (at: number) => /^(.*?\d+, \d+):(.*)$/.exec(format.format(at))?.slice(1) ?? [];
  const begins: number[] = [];
  let [before] = localAt(from - 30_000);
  for (let at = from; at < to; at += 30_000) {
    const [hour, rest] = localAt(at);
    if (rest === '00:00' || hour !== before) begins.push(at);
    before = hour;
  }
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

  it('has hours at full local hours before and after clocks change by half an hour', () => {
    // 2:00 becomes 1:30 at 15:00 UTC: the hour that began at 1:00 has 90 minutes.
    expect(starts('hour', 'Australia/Lord_Howe', ['2026-04-04T13:00:00Z', '2026-04-04T17:00:00Z'])).toEqual([
      '2026-04-04T13:00:00.000Z',
      '2026-04-04T14:00:00.000Z',
      '2026-04-04T15:30:00.000Z',
      '2026-04-04T16:30:00.000Z',
    ]);
    // 2:00 becomes 2:30 at 15:30 UTC: the hour that began at 2:00 has 30 minutes.
    expect(starts('hour', 'Australia/Lord_Howe', ['2026-10-03T14:00:00Z', '2026-10-03T17:00:01Z'])).toEqual([
      '2026-10-03T13:30:00.000Z',
      '2026-10-03T14:30:00.000Z',
      '2026-10-03T15:30:00.000Z',
      '2026-10-03T16:00:00.000Z',
      '2026-10-03T17:00:00.000Z',
    ]);
  });

  it('has a period for each occurrence of an hour that clocks show twice', () => {
    expect(starts('hour', 'Europe/Berlin', ['2026-10-24T23:00:00Z', '2026-10-25T03:00:00Z'])).toHaveLength(4);
  });

  it.each([
    ['Australia/Lord_Howe', '2026-04-04'],
    ['Australia/Lord_Howe', '2026-10-03'],
    ['Australia/Lord_Howe', '1981-03-01'],
    ['Asia/Kathmandu', '2026-04-04'],
    ['Asia/Kathmandu', '1986-01-01'],
    ['Pacific/Chatham', '2026-04-04'],
    ['Pacific/Chatham', '2026-09-26'],
    ['America/St_Johns', '2010-11-07'],
    ['America/St_Johns', '1988-04-03'],
    ['America/Caracas', '2007-12-09'],
    ['America/Caracas', '2016-05-01'],
    ['Asia/Pyongyang', '2015-08-14'],
    ['Asia/Pyongyang', '2018-05-04'],
    ['Asia/Colombo', '1996-05-25'],
    ['Asia/Colombo', '1996-10-26'],
    ['Africa/Monrovia', '1972-01-07'],
    ['Antarctica/Troll', '2026-10-25'],
    ['Pacific/Apia', '2011-12-30'],
    ['Europe/London', '2026-10-25'],
  ])('finds every beginning of an hour in %s around %s', (timezone, date) => {
    const day = Date.parse(`${date}T00:00:00Z`);
    const [from, to] = [day - 86_400_000, day + 2 * 86_400_000];
    const all = periodStarts({ from: new Date(from), to: new Date(to), granularity: 'hour', timezone });
    expect(all.slice(1)).toEqual(hoursBegin(timezone, from, to).filter((at) => at > all[0]));
    // The first one is the same whatever moment of the period the range begins with.
    for (const at of [all[20] + 1, all[21] - 1, all[39], all[40] - 1_800_000])
      expect(periodStarts({ from: new Date(at), to: new Date(to), granularity: 'hour', timezone })).toEqual(
        all.slice(all.findLastIndex((start) => start <= at)),
      );
  });

  it('has no period in an empty range', () => {
    for (const granularity of ['minute', 'hour', 'day', 'week', 'month'] as const)
      expect(starts(granularity, 'Asia/Kathmandu', ['2026-03-01T12:30:00Z', '2026-03-01T12:30:00Z'])).toEqual([]);
  });

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
