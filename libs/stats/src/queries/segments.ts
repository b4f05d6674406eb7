import { LEVELS, type Level } from '../schema/tables.js';

/** A half-open range of time, in milliseconds since 1970, and the table that is read for it. */
export interface Segment {
  source: 'events' | Level;
  from: number;
  to: number;
}

/** How far back rows exist, in milliseconds since 1970. Quarters, hours and days are kept for ever. */
export interface Kept {
  events: number;
  minute: number;
}

/** What a range may be read from: counts exist at every level, groups only at two. */
export const LEVELS_OF = { counts: ['day', 'hour', 'minute'], groups: ['day', 'quarter'] } as const satisfies Record<
  string,
  Level[]
>;
export type Rollup = keyof typeof LEVELS_OF;

/** The last whole day that a 32-bit DateTime can represent. */
const LAST_MS = Math.floor((2 ** 32 - 1) / 86_400) * LEVELS.day;

/**
 * The range that can be answered: an edge in the time whose events have expired moves outwards to the next whole minute
 * or quarter of an hour.
 */
export function answerableRange({ from, to }: { from: Date; to: Date }, rollup: Rollup, kept: Kept) {
  const unitAt = (ms: number): number => {
    if (ms >= kept.events) return 1;
    return rollup === 'counts' && ms >= kept.minute ? LEVELS.minute : LEVELS.quarter;
  };
  const [start, end] = [from, to].map((date) => Math.min(Math.max(date.getTime(), 0), LAST_MS));
  return {
    from: new Date(Math.floor(start / unitAt(start)) * unitAt(start)),
    to: new Date(Math.ceil(end / unitAt(end)) * unitAt(end)),
  };
}

/**
 * Divides an answerable range among the coarsest tables that are exact: whole days, before and after them whole hours, and
 * so on, and events for the rest.
 * @param unit the longest level whose rows lie in one period each; null if not even minutes do
 * @returns null if the range needs rows that have expired
 */
export function segmentsOf(
  { from, to }: { from: Date; to: Date },
  { rollup, unit, kept }: { rollup: Rollup; unit: Level | null; kept: Kept },
): Segment[] | null {
  const usable: Level[] = LEVELS_OF[rollup].filter((level) => unit !== null && LEVELS[level] <= LEVELS[unit]);
  // Zones off by half an hour: quarters take the place of hours.
  if (rollup === 'counts' && unit === 'quarter') usable.unshift('quarter');
  const segments = cover(from.getTime(), to.getTime(), usable).map((segment) => withKeptSource(segment, unit, kept));
  return segments.every((segment) => segment !== null) ? segments : null;
}

/** `levels` from the longest to the shortest. */
function cover(from: number, to: number, [level, ...shorter]: readonly Level[]): Segment[] {
  if (from >= to) return [];
  if (level === undefined) return [{ source: 'events', from, to }];
  const length = LEVELS[level];
  const [first, last] = [Math.ceil(from / length) * length, Math.floor(to / length) * length];
  if (first >= last) return cover(from, to, shorter);
  return [...cover(from, first, shorter), { source: level, from: first, to: last }, ...cover(last, to, shorter)];
}

/** The segment from a table that still has its rows, or null. */
function withKeptSource(segment: Segment, unit: Level | null, kept: Kept): Segment | null {
  const { source, from, to } = segment;
  if (source === 'minute' && from < kept.minute) {
    const isWhole = from % LEVELS.quarter === 0 && to % LEVELS.quarter === 0;
    if (isWhole && unit !== 'minute') return { ...segment, source: 'quarter' };
    return from >= kept.events ? { ...segment, source: 'events' } : null;
  }
  if (source === 'events' && from < kept.events) return null;
  return segment;
}

/**
 * The longest level whose rows lie in one period each, for periods that start at these times within the range; null if
 * not even minutes do.
 */
export function unitOf(starts: readonly number[], { from, to }: { from: Date; to: Date }): Level | null {
  const inner = starts.filter((ms) => ms > from.getTime() && ms < to.getTime());
  const levels = (Object.keys(LEVELS) as Level[]).sort((a, b) => LEVELS[b] - LEVELS[a]);
  return levels.find((level) => inner.every((ms) => ms % LEVELS[level] === 0)) ?? null;
}
