import type { Granularity } from './metrics-query.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Offsets are looked up so often; no time zone has changed to another offset and back in a shorter time. */
const LOOKUP_MS = 12 * HOUR_MS;

/**
 * The starts of the periods of [from, to), ascending, in milliseconds, at most `limit`; the first may be before `from`.
 * Days, weeks (from Monday) and months start where the local date changes, so that a day may have 25 hours. Minutes and hours
 * start where the local clock shows a full one, so that an hour has 90 minutes if clocks are put back by 30 minutes in it.
 *
 * Computed here and not by the engine, which permanently allocates 5 MiB for each time zone that it has used.
 */
export function periodStarts(
  of: { from: Date; to: Date; granularity: Granularity; timezone: string },
  limit = Infinity,
): number[] {
  const offsetAt = offsetsOf(of.timezone);
  const [from, to] = [of.from.getTime(), of.to.getTime()];
  const starts: number[] = [];
  if (from >= to) return starts;
  if (of.granularity === 'hour' || of.granularity === 'minute') {
    for (const start of clockStarts({ from, to }, of.granularity === 'hour' ? HOUR_MS : MINUTE_MS, offsetAt)) {
      // Up to the period that contains `from`.
      if (start <= from) starts.pop();
      if (starts.push(start) >= limit) break;
    }
    return starts;
  }
  let local = firstLocalDay(from + offsetAt(from), of.granularity);
  for (let at = startOfDay(local, offsetAt); at < to && starts.length < limit; at = startOfDay(local, offsetAt)) {
    // A date that a zone skipped, as Samoa did in 2011, starts together with the next one.
    if (at !== starts.at(-1)) starts.push(at);
    local = nextLocalDay(local, of.granularity);
  }
  return starts;
}

/**
 * The starts of minutes or hours, from some before `from` on. A period whose full minute or hour was skipped when clocks were
 * put forward starts then, and one that clocks are put back into goes on.
 */
function* clockStarts(
  { from, to }: { from: number; to: number },
  length: number,
  offsetAt: (ms: number) => number,
): Generator<number> {
  let at = from - 3 * length;
  let offset = offsetAt(at);
  while (at < to) {
    const end = sameOffsetUntil(at, Math.min(at + LOOKUP_MS, to), offsetAt);
    for (let start = Math.ceil((at + offset) / length) * length - offset; start < end; start += length) yield start;
    const next = offsetAt(end);
    const [before, after] = [end - 1 + offset, end + next].map((local) => Math.floor(local / length));
    const isFull = (end + next) % length === 0;
    if (end < to && next !== offset && before !== after && !isFull) yield end;
    [at, offset] = [end, next];
  }
}

/** The end of [from, to), or the instant within it at which the offset changes. */
function sameOffsetUntil(from: number, to: number, offsetAt: (ms: number) => number): number {
  const offset = offsetAt(from);
  if (offsetAt(to) === offset) return to;
  let [same, other] = [from, to];
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2);
    if (offsetAt(middle) === offset) same = middle;
    else other = middle;
  }
  return other;
}

/** The first instant of a date (`YYYY-MM-DD`) in a time zone. */
export function startOfDate(date: string, timezone: string): Date {
  return new Date(startOfDay(Date.parse(`${date}T00:00:00Z`), offsetsOf(timezone)));
}

/** A local date is represented by the UTC midnight of the same date. */
function firstLocalDay(localMs: number, granularity: Granularity): number {
  const day = Math.floor(localMs / DAY_MS) * DAY_MS;
  const date = new Date(day);
  if (granularity === 'month') return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
  return granularity === 'week' ? day - ((date.getUTCDay() + 6) % 7) * DAY_MS : day;
}

function nextLocalDay(day: number, granularity: Granularity): number {
  const date = new Date(day);
  if (granularity === 'month') return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
  return day + (granularity === 'week' ? 7 : 1) * DAY_MS;
}

/**
 * The first instant of a local date. If clocks change at midnight, 0:00 does not exist or occurs twice: the result is the
 * earlier of the two candidates that is already on that date.
 */
function startOfDay(day: number, offsetAt: (ms: number) => number): number {
  const [before, after] = [offsetAt(day - DAY_MS), offsetAt(day + DAY_MS)];
  const candidates = [day - before, day - after].sort((a, b) => a - b);
  return candidates.find((at) => at + offsetAt(at) >= day) ?? candidates[1];
}

/** The offset of a time zone from UTC at an instant, in milliseconds. */
function offsetsOf(timeZone: string): (ms: number) => number {
  if (timeZone === 'UTC') return () => 0;
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  const known = new Map<number, number>();
  return (ms) => {
    const offset = known.get(ms) ?? parseOffset(format.format(ms));
    known.set(ms, offset);
    return offset;
  };
}

/** `3/29/2026, GMT+05:45`, or `GMT` for zero. Seconds occur only in dates before 1972. */
function parseOffset(text: string): number {
  const [, sign, hours, minutes, seconds = '0'] = /GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/.exec(text) ?? [];
  if (sign === undefined) return 0;
  const ms = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000;
  return sign === '-' ? -ms : ms;
}
