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

/** Those of the counts above that belong to addresses of the simulator, which rates leave out. */
export const SIMULATED = {
  simulated_delivered: { counter: 'delivered' },
  simulated_bounced: { counter: 'bounced' },
  simulated_failed: { counter: 'failed' },
  simulated_complained: { counter: 'complained' },
} as const;
export type SimulatedColumn = keyof typeof SIMULATED;

/** The same for recipients with at least one such event. */
export const SIMULATED_UNIQUE = { simulated_unique_opened: 'opened', simulated_unique_clicked: 'clicked' } as const;
export type SimulatedUniqueColumn = keyof typeof SIMULATED_UNIQUE;

/** Milliseconds from due to delivered. */
export const LATENCY = 'latency';
/** Columns whose values can be added. */
export type SummableColumn = CountColumn | UniqueColumn | SimulatedColumn | SimulatedUniqueColumn;
export type StatsColumn = SummableColumn | typeof LATENCY;

/** Percentiles of `latency`, in the order in which the engine returns them. */
export const PERCENTILES = { p50: 0.5, p95: 0.95, p99: 0.99 } as const;
const LEVELS_OF_PERCENTILES = Object.values(PERCENTILES).join(', ');

/** Later versions of the tables have them, too. */
export const SIMULATED_COLUMNS = [
  ...Object.keys(SIMULATED),
  ...Object.keys(SIMULATED_UNIQUE),
] as readonly StatsColumn[];
export const STATS_COLUMNS: readonly StatsColumn[] = [
  ...(Object.keys(COUNTED) as CountColumn[]),
  ...(Object.keys(UNIQUE) as UniqueColumn[]),
  LATENCY,
  ...SIMULATED_COLUMNS,
];

const UNIQUE_COUNTERS: Partial<Record<StatsColumn, string>> = { ...UNIQUE, ...SIMULATED_UNIQUE };
export const isUnique = (column: StatsColumn): boolean => column in UNIQUE_COUNTERS;
const isSimulated = (column: StatsColumn): boolean => column in SIMULATED || column in SIMULATED_UNIQUE;

const COUNTS: Partial<Record<StatsColumn, { counter: string; bounceType?: string }>> = { ...COUNTED, ...SIMULATED };

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
  const ofSimulator = isSimulated(column) ? ' AND is_simulated = 1' : '';
  const unique = UNIQUE_COUNTERS[column];
  if (unique !== undefined)
    return `uniqCombined64StateIf((email_id, recipient), counter = '${unique}' AND is_bot = 0${ofSimulator}) AS ${column}`;
  const { counter, bounceType } = COUNTS[column] as { counter: string; bounceType?: string };
  const isType = bounceType === undefined ? '' : ` AND bounce_type = '${bounceType}'`;
  return `countIf(counter = '${counter}'${isType}${ofSimulator}) AS ${column}`;
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
