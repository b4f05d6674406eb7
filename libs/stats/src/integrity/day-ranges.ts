import { LEVELS } from '../schema/tables.js';

/** Consecutive days, both ends inclusive. */
export interface Days {
  from: string;
  to: string;
}

export const startOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
export const nextDay = (day: string): string => dayOf(startOf(day) + LEVELS.day);

/** Sorted days as ranges. */
export function asRanges(days: readonly string[]): Days[] {
  const ranges: Days[] = [];
  for (const day of days.toSorted()) {
    const last = ranges.at(-1);
    if (last !== undefined && nextDay(last.to) === day) last.to = day;
    else ranges.push({ from: day, to: day });
  }
  return ranges;
}
