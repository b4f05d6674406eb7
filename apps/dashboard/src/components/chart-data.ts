import { DAY_S, formatPeriod, precisionOf, tickLabels } from './chart-time.ts';

export interface Series {
  label: string;
  color: string;
  values: number[];
}

/** Seconds since 1970: what the counts cover. Periods that reach beyond it are unfinished. */
export interface Range {
  from: number;
  to: number;
}

/** A bar, as shares of the width and of the height. */
interface Bar {
  left: number;
  width: number;
  height: number;
}

/** Labels of the vertical axis at most. */
const MAX_LEVELS = 5;
/** The width of a label of the time axis. */
const LABEL_PX = 64;
/** The share of a period that its bars take. */
const BARS_SHARE = 0.8;

/** Without the series that are zero in every period. */
export const shownSeries = (series: readonly Series[]): Series[] =>
  series.filter(({ values }) => values.some((value) => value > 0));

/** Whole numbers from 0 to at least `most`, with equal distances of 1, 2 or 5 times a power of ten. */
export function levelsUpTo(most: number): number[] {
  const rough = Math.max(1, most / (MAX_LEVELS - 1));
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough) ?? 10 * power;
  return Array.from({ length: Math.max(1, Math.ceil(most / step)) + 1 }, (_, i) => i * step);
}

/** The bars of one series, side by side with those of the others in each period. */
export function barsOf({ values }: Series, { index, of, top }: { index: number; of: number; top: number }): Bar[] {
  const [slot, width] = [1 / values.length, BARS_SHARE / values.length / of];
  return values.map((value, i) => ({
    left: i * slot + ((1 - BARS_SHARE) / 2) * slot + index * width,
    width,
    height: Math.min(1, value / top),
  }));
}

/** For each period, whether the range has only a part of it. */
export const unfinished = (times: readonly number[], step: number, { from, to }: Range): boolean[] =>
  times.map((start, i) => start < from || (times[i + 1] ?? start + step) > to);

/** Labels of periods with enough distance on a chart of this width, by the index of the period. */
export function axisLabels(times: readonly number[], step: number, width: number): { index: number; label: string }[] {
  const room = Math.max(1, Math.floor(width / LABEL_PX));
  const every = niceDistance(Math.ceil(times.length / room), step);
  const isClock = precisionOf(step) === 'time' && step > 0;
  const first = isClock ? times.findIndex((time) => isMultiple(time, every * step)) : (times.length - 1) % every;
  const chosen = times.flatMap((_, i) => ((i - Math.max(0, first)) % every === 0 ? [i] : []));
  const labels = isClock
    ? tickLabels(
        chosen.map((i) => times[i]),
        step,
      )
    : chosen.map((i) => formatPeriod(times[i], step));
  return chosen.map((index, i) => ({ index, label: labels[i] }));
}

/** Distances of a clock in minutes and hours, and of a week in days. */
function niceDistance(least: number, step: number): number {
  const nice = step === 60 ? [1, 2, 5, 10, 15, 30] : step < DAY_S ? [1, 2, 3, 4, 6, 12, 24] : [1, 2, 7, 14, 28];
  return nice.find((one) => one >= least) ?? least;
}

/** Whether local time is a whole multiple of some seconds after midnight. */
function isMultiple(time: number, seconds: number): boolean {
  const date = new Date(time * 1_000);
  return ((date.getHours() * 60 + date.getMinutes()) * 60 + date.getSeconds()) % seconds === 0;
}
