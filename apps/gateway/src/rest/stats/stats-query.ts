import { assertDomainsVisible, parseTimestamp, type Visibility } from '#libs/contracts';
import { startOfDate, type Dimension, type Granularity, type Group, type Metric, statsWords } from '#libs/stats';
import type { MetricsQuery, Percentile } from '#libs/stats';
import { invalidParameter } from '../validation/invalid-fields.js';
import { isDate } from '../validation/query-rules.js';
import { canonicalTimezone, itemsOf, tagKeyOf } from './stats-rules.js';
import { databaseClock } from '#libs/kernel';

const DAY_MS = 24 * 3_600_000;
/** Without a start: seven days with the last one. */
const DAYS_BEFORE_LAST = 6;

/** Parameters of a statistics request as text; each has passed its rule. */
export interface MetricsParameters {
  start_date?: string;
  end_date?: string;
  /** Aliases of the two above. */
  from?: string;
  to?: string;
  timezone?: string;
  granularity?: string;
  metrics?: string;
  dimensions?: string;
  group_by?: string;
  percentiles?: string;
  domain_id?: string;
  email_id?: string;
}

/**
 * The query for the parameters of a request. A date stands for the whole day in the time zone; the range ends now at the
 * latest.
 * @throws Refusal `restricted_api_key` for domains that the key does not see, `invalid_parameter` when the range does not
 * start before it ends
 */
export function toMetricsQuery(
  visibility: Visibility,
  given: MetricsParameters,
  now = databaseClock.date(),
): MetricsQuery {
  const timezone = canonicalTimezone(given.timezone ?? 'UTC') ?? 'UTC';
  const items = (list: string | undefined) => (list === undefined ? [] : itemsOf(list));
  const domainIds = given.domain_id === undefined ? null : itemsOf(given.domain_id);
  const named = (domainIds ?? []).map((id) => ({ field: 'domain_id', id }));
  assertDomainsVisible(visibility, named);
  return {
    visibility,
    ...rangeOf(given, timezone, now),
    timezone,
    granularity: (given.granularity ?? 'day') as Granularity,
    metrics: given.metrics === undefined ? statsWords.metrics : (itemsOf(given.metrics) as Metric[]),
    dimensions: items(given.dimensions) as Dimension[],
    groupBy: [...new Set(items(given.group_by).map(toGroup))],
    percentiles: items(given.percentiles) as Percentile[],
    domainIds,
    emailIds: given.email_id === undefined ? null : itemsOf(given.email_id),
  };
}

function toGroup(item: string): Group {
  const key = tagKeyOf(item);
  return key === null ? (item as Group) : `tag:${key}`;
}

/** Refuses both spellings of a parameter at once. */
function oneOf(given: MetricsParameters, name: 'start_date' | 'end_date', alias: 'from' | 'to'): string | undefined {
  if (given[name] !== undefined && given[alias] !== undefined)
    throw invalidParameter(alias, `must not be given together with ${name}, which means the same`);
  return given[name] ?? given[alias];
}

function rangeOf(given: MetricsParameters, timezone: string, now: Date): { from: Date; to: Date } {
  const start_date = oneOf(given, 'start_date', 'from');
  const end_date = oneOf(given, 'end_date', 'to');
  const end = end_date === undefined ? now : endOf(end_date, timezone);
  const to = end < now ? end : now;
  const from = start_date === undefined ? firstOfSevenDays(to, timezone) : startOf(start_date, timezone);
  if (from < to) return { from, to };
  throw invalidParameter(
    given.from === undefined ? 'start_date' : 'from',
    `must be before ${given.to === undefined ? 'end_date' : 'to'} and not in the future`,
  );
}

/** The beginning of the first of seven days in the time zone, the last of which contains the end of the range. */
function firstOfSevenDays(to: Date, timezone: string): Date {
  const local = new Intl.DateTimeFormat('en-CA', { timeZone: timezone }).format(to.getTime() - 1);
  const day = Date.parse(`${local}T00:00:00Z`);
  // Years of fewer than four digits.
  if (Number.isNaN(day)) return new Date(to.getTime() - (DAYS_BEFORE_LAST + 1) * DAY_MS);
  const first = new Date(day - DAYS_BEFORE_LAST * DAY_MS).toISOString();
  return startOfDate(first.slice(0, first.indexOf('T')), timezone);
}

const startOf = (text: string, timezone: string): Date =>
  isDate(text) ? startOfDate(text, timezone) : (parseTimestamp(text) as Date);

function endOf(text: string, timezone: string): Date {
  if (!isDate(text)) return parseTimestamp(text) as Date;
  const nextDate = new Date(Date.parse(`${text}T00:00:00Z`) + DAY_MS).toISOString();
  return startOfDate(nextDate.slice(0, nextDate.indexOf('T')), timezone);
}

/** The range of the same length directly before. */
export const previousRange = ({ from, to }: { from: Date; to: Date }): { from: Date; to: Date } => ({
  from: new Date(2 * from.getTime() - to.getTime()),
  to: from,
});

/** The window of a request with no other parameters than `from` and `to`, else null. */
export function countsWindow(given: MetricsParameters): { from: Date; to: Date } | null {
  const { from, to, ...others } = given;
  if (Object.values(others).some((value) => value !== undefined)) return null;
  return statsWindow({
    from: from === undefined ? null : startOf(from, 'UTC'),
    to: to === undefined ? null : endOf(to, 'UTC'),
  });
}

/** A half-open time window, by default the last 24 hours. @throws Refusal `invalid_parameter`. */
export function statsWindow(given: { from?: Date | null; to?: Date | null }): { from: Date; to: Date } {
  const to = given.to ?? databaseClock.date();
  const from = given.from ?? new Date(to.getTime() - DAY_MS);
  if (from >= to) throw invalidParameter('from', 'must be before the end of the window');
  return { from, to };
}
