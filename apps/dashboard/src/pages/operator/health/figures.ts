import type { OperatorHealthQuery } from '../../../graphql/generated.ts';

export type Health = OperatorHealthQuery['operator']['health'];
export type Throttle = OperatorHealthQuery['operator']['throttles'][number];

const MINUTE_S = 60;
const MINUTES = 60;
const DAYS_SHOWN = 1_000;

interface Minutes {
  /** In seconds since 1970. */
  times: number[];
  accepted: number[];
  delivered: number[];
}

/** The last hour up to the minute of `now`, with zeros for minutes without events. */
export function lastHour(
  minutes: readonly { at: string; accepted: number; delivered: number }[],
  now: number,
): Minutes {
  const known = new Map(minutes.map((one) => [Date.parse(one.at) / 1_000, one]));
  const last = Math.floor(now / 1_000 / MINUTE_S) * MINUTE_S;
  const times = Array.from({ length: MINUTES }, (_, i) => last - (MINUTES - 1 - i) * MINUTE_S);
  return {
    times,
    accepted: times.map((time) => known.get(time)?.accepted ?? 0),
    delivered: times.map((time) => known.get(time)?.delivered ?? 0),
  };
}

/** The average per minute of an hour. */
export const perMinute = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0) / MINUTES;

/** A time to delivery. */
export function formatLatency(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  return ms < 60_000 ? `${(ms / 1_000).toFixed(1)} s` : formatDuration(ms / 1_000);
}

export function formatDuration(seconds: number): string {
  const units: [string, number][] = [
    ['d', 86_400],
    ['h', 3_600],
    ['min', 60],
  ];
  const [unit, size] = units.find(([, length]) => seconds >= length) ?? ['s', 1];
  return `${Math.floor(seconds / size)} ${unit}`;
}

export function formatDaysLeft(days: number): string {
  if (days >= DAYS_SHOWN) return `more than ${DAYS_SHOWN.toLocaleString('en-US')} days`;
  return days < 2 ? `${Math.floor(days * 24)} hours` : `${Math.floor(days)} days`;
}
