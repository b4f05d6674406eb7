import type { EventCounter } from './event-counter.js';

/** Counts that are exact, and what of the events each of them counts. Counted are recipients. */
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

/** How many recipients did it at least once, bots left out; approximate (within about 1 %, exact for small numbers). */
export const UNIQUE = { unique_opened: 'opened', unique_clicked: 'clicked' } as const;
export type UniqueMetric = keyof typeof UNIQUE;

/** Shares from 0 to 1: what of what. */
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

/** Further ways to break down: whose mailbox, which server answered, why it bounced, and the value of one tag. */
export const GROUPS = ['provider', 'ip', 'bounce_class'] as const;
export type Group = (typeof GROUPS)[number] | `tag:${string}`;

/** Of the time from due to delivered. */
export const PERCENTILES = { p50: 0.5, p95: 0.95, p99: 0.99 } as const;
export type Percentile = keyof typeof PERCENTILES;

/** A question about the mail of one account in [from, to). */
export interface MetricsQuery {
  accountId: string;
  from: Date;
  to: Date;
  /** IANA name in which days, weeks and months begin. */
  timezone: string;
  granularity: Granularity;
  metrics: readonly Metric[];
  dimensions: readonly Dimension[];
  groupBy: readonly Group[];
  percentiles: readonly Percentile[];
  /** Only these domains, only these mails; null: all. */
  domainIds: readonly string[] | null;
  emailIds: readonly string[] | null;
}

/** Values of the metrics that were asked for; a rate is null where there is nothing to take a share of. */
export type MetricValues = Partial<Record<Metric, number | null>> & {
  /** Milliseconds from due to delivered; null where nothing was delivered. */
  latency_ms?: Partial<Record<Percentile, number | null>>;
};

/** One row of the break-down: its place, then the values. Null: the events have none of that kind. */
export interface MetricsRow {
  /** Begin of the period. */
  period?: Date;
  domainId?: string | null;
  emailId?: string;
  provider?: string | null;
  ip?: string | null;
  bounceClass?: string | null;
  tags?: Record<string, string | null>;
  values: MetricValues;
}

export interface MetricsAnswer {
  totals: MetricValues;
  /** Null when nothing was to be broken down. */
  rows: MetricsRow[] | null;
  /** Names of those values that are approximate; all others are exact. */
  approximate: string[];
}

/** The names of approximate values in the answer to a question. */
export function approximateIn({ metrics, percentiles }: Pick<MetricsQuery, 'metrics' | 'percentiles'>): string[] {
  const rough = metrics.filter((name) => name in UNIQUE || (name in RATES && RATES[name as RateMetric][0] in UNIQUE));
  return percentiles.length > 0 ? [...rough, 'latency_ms'] : [...rough];
}
