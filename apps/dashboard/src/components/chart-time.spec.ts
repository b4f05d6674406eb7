import { describe, expect, it } from 'vitest';
import { formatPeriod, precisionOf, stepOf, tickLabels, ticksFor } from './chart-time.ts';

const HOUR = 3_600;
const DAY = 24 * HOUR;
const at = (local: string): number => new Date(local).getTime() / 1_000;

describe('ticksFor', () => {
  it.each([
    ['no data', 0, 60],
    ['minutes', 60, 60],
    ['hours', HOUR, HOUR],
    ['days', DAY, DAY],
    ['a day of 23 hours', 23 * HOUR, DAY],
    ['a day of 25 hours', 25 * HOUR, DAY],
    ['weeks', 7 * DAY, 7 * DAY],
    ['a fortnight', 14 * DAY, 14 * DAY],
    ['20 days', 20 * DAY, 30 * DAY],
    ['a month of 28 days', 28 * DAY, 30 * DAY],
    ['a month of 31 days', 31 * DAY, 30 * DAY],
    ['quarters', 92 * DAY, 90 * DAY],
    ['years', 366 * DAY, 365 * DAY],
  ])('begins for %s with the step of the data', (_name, step, first) => {
    expect(ticksFor(step)[0]).toBe(first);
  });

  it('offers longer distances for months on a narrow screen', () => {
    expect(ticksFor(31 * DAY)).toEqual([30, 60, 90, 180, 365, 730, 1825, 3650, 7300, 18250].map((days) => days * DAY));
  });
});

describe('precisionOf', () => {
  it.each([
    [0, 'time'],
    [12 * HOUR, 'time'],
    [23 * HOUR, 'day'],
    [14 * DAY, 'day'],
    [28 * DAY, 'month'],
    [365 * DAY, 'month'],
  ])('%d s: %s', (step, precision) => {
    expect(precisionOf(step)).toBe(precision);
  });
});

describe('labels', () => {
  it('name hours by the clock, and each day once', () => {
    const ticks = [at('2026-03-01T22:00'), at('2026-03-01T23:00'), at('2026-03-02T00:00')];
    const labels = tickLabels(ticks, HOUR);
    expect(labels.map((label) => label.split('\n').length)).toEqual([2, 1, 2]);
    expect(labels[2]).toContain(formatPeriod(ticks[2], DAY));
  });

  it('name days and months once', () => {
    const days = [at('2026-03-01T00:00'), at('2026-03-02T00:00')];
    expect(tickLabels(days, DAY)).toEqual(days.map((day) => formatPeriod(day, DAY)));
    const months = [at('2026-01-01T00:00'), at('2026-02-01T00:00')];
    expect(tickLabels(months, 31 * DAY)).toEqual(months.map((month) => formatPeriod(month, 31 * DAY)));
    expect(new Set(tickLabels(months, 31 * DAY)).size).toBe(2);
  });
});

describe('stepOf', () => {
  it.each([
    [[], 0],
    [[5], 0],
    [[60, 120, 180], 60],
  ])('%j: %d', (times, step) => {
    expect(stepOf(times)).toBe(step);
  });
});
