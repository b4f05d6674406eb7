import { parseTimestamp, Refusal } from '#libs/contracts';
import { METRICS, startOfDate, type Dimension, type Granularity, type Group, type Metric } from '#libs/stats';
import type { MetricsQuery, Percentile } from '#libs/stats';
import { isDate, itemsOf, zoneNamed } from './stats-rules.js';

const DAY_MS = 24 * 3_600_000;
const DEFAULT_DAYS = 6;

/** Parameters of a statistics question as they are written; each has passed its rule. */
export interface MetricsParameters {
  start_date?: string;
  end_date?: string;
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
 * The question that the parameters ask of an account. A date alone is the whole day in the time zone; the end is now at
 * most.
 * @throws Refusal `invalid_parameter` when it does not begin before it ends.
 */
export function metricsQuery(accountId: string, given: MetricsParameters, now = new Date()): MetricsQuery {
  const timezone = zoneNamed(given.timezone ?? 'UTC') ?? 'UTC';
  const listed = (list: string | undefined) => (list === undefined ? [] : itemsOf(list));
  return {
    accountId,
    ...windowOf(given, timezone, now),
    timezone,
    granularity: (given.granularity ?? 'day') as Granularity,
    metrics: given.metrics === undefined ? METRICS : (itemsOf(given.metrics) as Metric[]),
    dimensions: listed(given.dimensions) as Dimension[],
    groupBy: listed(given.group_by) as Group[],
    percentiles: listed(given.percentiles) as Percentile[],
    domainIds: given.domain_id === undefined ? null : itemsOf(given.domain_id),
    emailIds: given.email_id === undefined ? null : itemsOf(given.email_id),
  };
}

function windowOf({ start_date, end_date }: MetricsParameters, timezone: string, now: Date): { from: Date; to: Date } {
  const end = end_date === undefined ? now : endOf(end_date, timezone);
  const to = end < now ? end : now;
  const from =
    start_date === undefined ? new Date(to.getTime() - DEFAULT_DAYS * DAY_MS) : instantOf(start_date, timezone);
  if (from < to) return { from, to };
  const message = 'must be before end_date and not in the future';
  throw new Refusal(
    'invalid_parameter',
    [{ field: 'start_date', code: 'invalid_parameter', message }],
    `The parameter start_date ${message}.`,
  );
}

const instantOf = (text: string, timezone: string): Date =>
  isDate(text) ? startOfDate(text, timezone) : (parseTimestamp(text) as Date);

function endOf(text: string, timezone: string): Date {
  if (!isDate(text)) return parseTimestamp(text) as Date;
  const nextDate = new Date(Date.parse(`${text}T00:00:00Z`) + DAY_MS).toISOString();
  return startOfDate(nextDate.slice(0, nextDate.indexOf('T')), timezone);
}
