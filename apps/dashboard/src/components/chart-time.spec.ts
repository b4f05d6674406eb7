import { describe, expect, it } from 'vitest';
import { formatPeriod, precisionOf, stepOf, tickLabels } from './chart-time.ts';

const HOUR = 3_600;
const DAY = 24 * HOUR;
const at = (local: string): number => new Date(local).getTime() / 1_000;

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
