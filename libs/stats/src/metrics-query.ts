import type { Visibility } from '#libs/contracts';
import type { EventCounter } from './event-row.js';

/** Exact counts of recipients, and the events that each of them counts. */
export const COUNTED = {
  accepted: { counter: 'accepted' },
  sent: { counter: 'sent' },
  delivered: { counter: 'delivered' },
  delivery_delayed: { counter: 'deferred' },
  bounced: { counter: 'bounced' },
  bounced_permanent: { counter: 'bounced', bounceType: 'hard' },
  bounced_transient: { counter: 'bounced', bounceType: 'soft' },
  bounced_undetermined: { counter: 'bounced', bounceType: 'undetermined' },
  failed: { counter: 'failed' },
  complained: { counter: 'complained' },
  suppressed: { counter: 'suppressed' },
  canceled: { counter: 'canceled' },
  unsubscribed: { counter: 'unsubscribed' },
  opened: { counter: 'opened' },
  clicked: { counter: 'clicked' },
} as const satisfies Record<string, { counter: EventCounter; bounceType?: string }>;
export type CountedMetric = keyof typeof COUNTED;

/** Recipients with at least one such event, without bots; approximate (within about 1 %, exact for small numbers). */
export const UNIQUE = { unique_opened: 'opened', unique_clicked: 'clicked' } as const;
export type UniqueMetric = keyof typeof UNIQUE;

/** Ratios from 0 to 1: numerator and denominator. */
export const RATES = {
  delivery_rate: ['delivered', 'sent'],
  bounce_rate: ['bounced', 'sent'],
  complaint_rate: ['complained', 'delivered'],
  unsubscribe_rate: ['unsubscribed', 'delivered'],
  open_rate: ['unique_opened', 'delivered'],
  click_rate: ['unique_clicked', 'delivered'],
} as const satisfies Record<string, readonly [CountedMetric | UniqueMetric, CountedMetric]>;
export type RateMetric = keyof typeof RATES;

export type Metric = CountedMetric | UniqueMetric | RateMetric;
const namesOf = <T extends object>(table: T) => Object.keys(table) as (keyof T)[];
export const METRICS: readonly Metric[] = [...namesOf(COUNTED), ...namesOf(UNIQUE), ...namesOf(RATES)];

export const GRANULARITIES = ['hour', 'day', 'week', 'month'] as const;
export type Granularity = (typeof GRANULARITIES)[number];

export const DIMENSIONS = ['period', 'domain', 'email'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** Further dimensions: the mailbox provider, the remote server, the class of the bounce, and the value of a tag. */
export const GROUPS = ['provider', 'ip', 'bounce_class'] as const;
export type Group = (typeof GROUPS)[number] | `tag:${string}`;

/** Percentiles of the time from due to delivered. */
export const PERCENTILES = { p50: 0.5, p95: 0.95, p99: 0.99 } as const;
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
}

/** The names of the approximate values in the result of a query. */
export function approximateValues({ metrics, percentiles }: Pick<MetricsQuery, 'metrics' | 'percentiles'>): string[] {
  const rough = metrics.filter((name) => name in UNIQUE || (name in RATES && RATES[name as RateMetric][0] in UNIQUE));
  return percentiles.length > 0 ? [...rough, 'latency_ms'] : [...rough];
}
