import type { Visibility } from '#libs/contracts';
import { isApproximateRate, RATES, SUMS, type RateMetric, type SumMetric } from './rates.js';
import { COUNTED, PERCENTILES, UNIQUE, type CountColumn, type UniqueColumn } from './schema/columns.js';

export type Metric = CountColumn | UniqueColumn | SumMetric | RateMetric;
const namesOf = <T extends object>(table: T) => Object.keys(table) as (keyof T)[];
const METRICS: readonly Metric[] = [...namesOf(COUNTED), ...namesOf(UNIQUE), ...namesOf(SUMS), ...namesOf(RATES)];
/** The metrics that are shares; all others are counts. */
export const isRate = (name: Metric): name is RateMetric => name in RATES;

export const GRANULARITIES = ['minute', 'hour', 'day', 'week', 'month'] as const;
export type Granularity = (typeof GRANULARITIES)[number];

export const DIMENSIONS = ['period', 'domain', 'email'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/**
 * Further dimensions: the mailbox provider, address and name of the remote server, the class of the bounce, the API key,
 * and the value of a tag.
 */
export const GROUPS = ['provider', 'ip', 'host', 'bounce_class', 'api_key'] as const;
export type Group = (typeof GROUPS)[number] | `tag:${string}`;

export type Percentile = keyof typeof PERCENTILES;

/** Selects the mail that a key sees in [from, to). Test mail is not counted, so a test key sees zeros. */
export interface MetricsQuery {
  visibility: Visibility;
  from: Date;
  to: Date;
  /** IANA name of the time zone of days, weeks and months. */
  timezone: string;
  granularity: Granularity;
  metrics: readonly Metric[];
  dimensions: readonly Dimension[];
  groupBy: readonly Group[];
  percentiles: readonly Percentile[];
  /** Only these domains or messages; null for all. */
  domainIds: readonly string[] | null;
  emailIds: readonly string[] | null;
}

/** Selects all mail of some accounts in [from, to). */
export interface AccountsQuery {
  accountIds: readonly string[];
  from: Date;
  to: Date;
  metrics: readonly Metric[];
}

/** Values of the requested metrics; a rate is null if its denominator is zero. */
export type MetricValues = Partial<Record<Metric, number | null>> & {
  /** Milliseconds from due to delivered; null if nothing was delivered. */
  latency_ms?: Partial<Record<Percentile, number | null>>;
};

/** One row of the breakdown: its dimensions, then the values. A dimension is null for events without it. */
export interface MetricsRow {
  /** Start of the period. */
  period?: Date;
  domainId?: string | null;
  emailId?: string;
  provider?: string | null;
  ip?: string | null;
  host?: string | null;
  apiKeyId?: string | null;
  bounceClass?: string | null;
  tags?: Record<string, string | null>;
  values: MetricValues;
}

export interface MetricsResult {
  totals: MetricValues;
  /** Null without dimensions and groups. */
  rows: MetricsRow[] | null;
  /** Names of the values that are approximate; all others are exact. */
  approximate: string[];
  /** Some values are counted together as `(other)`, because only the first 500 of a day are kept by name. */
  truncated: boolean;
  /** The range that was counted. Parts of a minute or quarter of an hour are not known once single events have expired. */
  from: Date;
  to: Date;
}

/** The names of the approximate values in the result of a query. */
export function approximateValues({ metrics, percentiles }: Pick<MetricsQuery, 'metrics' | 'percentiles'>): string[] {
  const rough = metrics.filter((name) => name in UNIQUE || (isRate(name) && isApproximateRate(name)));
  return percentiles.length > 0 ? [...rough, 'latency_ms'] : [...rough];
}

/** The words of a query. */
export const statsWords = {
  dimensions: DIMENSIONS,
  granularities: GRANULARITIES,
  groups: GROUPS,
  metrics: METRICS,
  percentiles: Object.keys(PERCENTILES) as Percentile[],
};
