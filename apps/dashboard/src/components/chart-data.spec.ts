import { describe, expect, it } from 'vitest';
import { axisLabels, barsOf, levelsUpTo, shownSeries, unfinished } from './chart-data.ts';

const HOUR = 3_600;
const DAY = 24 * HOUR;
const at = (local: string): number => new Date(local).getTime() / 1_000;
const hours = (count: number, first = at('2026-03-01T00:00')) =>
  Array.from({ length: count }, (_, i) => first + i * HOUR);
const series = (label: string, values: number[]) => ({ label, color: '#000', values });

it('shows no series that is zero', () => {
  const shown = shownSeries([series('a', [0, 3]), series('b', [0, 0]), series('c', [])]);
  expect(shown.map(({ label }) => label)).toEqual(['a']);
  expect(shownSeries([series('b', [0, 0])])).toEqual([]);
});

it.each([
  [0, [0, 1]],
  [1, [0, 1]],
  [3, [0, 1, 2, 3]],
  [9, [0, 5, 10]],
  [40, [0, 10, 20, 30, 40]],
  [41, [0, 20, 40, 60]],
  [4_000, [0, 1_000, 2_000, 3_000, 4_000]],
  [1_234_567, [0, 500_000, 1_000_000, 1_500_000]],
])('has levels up to %i', (most, expected) => {
  expect(levelsUpTo(most)).toEqual(expected);
});

describe('bars', () => {
  it('of several series stand side by side within their period', () => {
    const [first, second] = [0, 1].map((index) => barsOf(series('a', [5, 10]), { index, of: 2, top: 10 }));
    expect(first.map(({ height }) => height)).toEqual([0.5, 1]);
    expect(first[0].left).toBeCloseTo(0.05);
    expect(second[0].left).toBeCloseTo(first[0].left + first[0].width);
    expect(second[0].left + second[0].width).toBeCloseTo(0.45);
    expect(first[1].left).toBeCloseTo(0.55);
  });

  it('are unfinished where the range has only a part of the period', () => {
    const times = hours(3);
    expect(unfinished(times, HOUR, { from: times[0], to: times[2] + 600 })).toEqual([false, false, true]);
    expect(unfinished(times, HOUR, { from: times[0] + 600, to: times[2] + HOUR })).toEqual([true, false, false]);
  });

  it('of a day with 25 hours are finished at its end', () => {
    const days = [0, DAY, 2 * DAY + HOUR];
    expect(unfinished(days, DAY, { from: 0, to: 2 * DAY + HOUR })).toEqual([false, false, true]);
  });
});

describe('labels of the time axis', () => {
  it('stand at full hours of the clock, as close as there is room', () => {
    const indexes = (width: number) =>
      axisLabels(hours(24, at('2026-03-01T21:00')), HOUR, width).map(({ index }) => index);
    expect(indexes(24 * 64)).toHaveLength(24);
    expect(indexes(1_000)).toEqual([1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23]);
    expect(indexes(320)).toEqual([3, 9, 15, 21]);
  });

  it('name the last day', () => {
    const days = Array.from({ length: 30 }, (_, i) => at('2026-03-01T00:00') + i * DAY);
    expect(axisLabels(days, DAY, 500).map(({ index }) => index)).toEqual([1, 8, 15, 22, 29]);
    expect(axisLabels(days.slice(0, 7), DAY, 1_000)).toHaveLength(7);
  });

  it('fit for no period and for one', () => {
    expect(axisLabels([], 0, 500)).toEqual([]);
    expect(axisLabels([at('2026-03-01T00:00')], 0, 500)).toHaveLength(1);
  });
});
