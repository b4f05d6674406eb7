/** How the columns of the roll-ups are computed from rows of `recipient_events`, and summed from other rows. */

/** Exact counts of recipients: the counter of the events, and for some of them the type of the bounce. */
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
} as const;
export type CountColumn = keyof typeof COUNTED;

/** Recipients with at least one such event, without bots. */
export const UNIQUE = { unique_opened: 'opened', unique_clicked: 'clicked' } as const;
export type UniqueColumn = keyof typeof UNIQUE;

/** Milliseconds from due to delivered. */
export const LATENCY = 'latency';
export type StatsColumn = CountColumn | UniqueColumn | typeof LATENCY;

/** Percentiles of `latency`, in the order in which the engine returns them. */
export const PERCENTILES = { p50: 0.5, p95: 0.95, p99: 0.99 } as const;
const LEVELS_OF_PERCENTILES = Object.values(PERCENTILES).join(', ');

const COUNT_COLUMNS = Object.keys(COUNTED) as CountColumn[];
export const STATS_COLUMNS: readonly StatsColumn[] = [
  ...COUNT_COLUMNS,
  ...(Object.keys(UNIQUE) as UniqueColumn[]),
  LATENCY,
];

const isUnique = (column: StatsColumn): column is UniqueColumn => column in UNIQUE;

/** The type of a column in a roll-up. */
export function columnType(column: StatsColumn): string {
  if (column === LATENCY) return `AggregateFunction(quantilesTDigest(${LEVELS_OF_PERCENTILES}), UInt32)`;
  if (isUnique(column)) return 'AggregateFunction(uniqCombined64, Tuple(UUID, String))';
  return 'SimpleAggregateFunction(sum, UInt64)';
}

/** The column for a group of rows of `recipient_events`: a count, or a state that can be merged. */
export function fromEvents(column: StatsColumn): string {
  if (column === LATENCY)
    return `quantilesTDigestStateIf(${LEVELS_OF_PERCENTILES})(latency_ms, counter = 'delivered') AS ${column}`;
  if (isUnique(column))
    return `uniqCombined64StateIf((email_id, recipient), counter = '${UNIQUE[column]}' AND is_bot = 0) AS ${column}`;
  const { counter, bounceType }: { counter: string; bounceType?: string } = COUNTED[column];
  const isType = bounceType === undefined ? '' : ` AND bounce_type = '${bounceType}'`;
  return `countIf(counter = '${counter}'${isType}) AS ${column}`;
}

/** The value of the column for a group of rows that have it. */
export function merged(column: StatsColumn): string {
  if (column === LATENCY) return `quantilesTDigestMerge(${LEVELS_OF_PERCENTILES})(${column})`;
  if (isUnique(column)) return `uniqCombined64Merge(${column})`;
  return `sum(${column})`;
}

/** The same as a state, for a row of a roll-up. */
export function mergedState(column: StatsColumn): string {
  if (column === LATENCY) return `quantilesTDigestMergeState(${LEVELS_OF_PERCENTILES})(${column}) AS ${column}`;
  if (isUnique(column)) return `uniqCombined64MergeState(${column}) AS ${column}`;
  return `sum(${column}) AS ${column}`;
}

/** Counters of which every counted event has exactly one. */
export const DISJOINT = Object.entries(COUNTED).flatMap(([name, of]) => ('bounceType' in of ? [] : [name]));
