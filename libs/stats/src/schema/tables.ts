import { columnType, fromEvents, mergedState, SIMULATED_COLUMNS, STATS_COLUMNS } from './columns.js';

/** Levels of roll-ups, in milliseconds per row. */
export const LEVELS = { minute: 60_000, quarter: 900_000, hour: 3_600_000, day: 86_400_000 } as const;
export type Level = keyof typeof LEVELS;

/** Roll-ups by dimension exist at these levels. Hours and zones off by 30 or 45 minutes are sums of quarters. */
export const GROUP_LEVELS = ['quarter', 'day'] as const satisfies Level[];

export const EVENTS = 'recipient_events';
export const POSITIONS = 'recipient_positions';
export const PROGRESS = 'stats_progress_by_source';
/** The versions of the tables that were applied. */
export const LAYOUTS = 'stats_layouts';
export const countsTable = (level: Level) => `recipient_counts_by_${level}`;
export const groupsTable = (level: Level) => `recipient_groups_by_${level}`;

/** The value under which a roll-up by dimension counts values beyond the limit. */
export const OTHER = '(other)';
/** The dimension in which tag keys beyond the limit leave their trace. */
export const OTHER_KEYS = 'tag:(other)';

export interface TableOptions {
  /** The name of a cluster: tables are replicated and created on all of its servers. */
  cluster: string | undefined;
  /** Days after which rows expire. */
  rawDays: number;
  minuteDays: number;
}

const START_OF: Record<Level, (time: string) => string> = {
  minute: (time) => `toStartOfMinute(${time})`,
  quarter: (time) => `toStartOfFifteenMinutes(${time})`,
  hour: (time) => `toStartOfHour(${time})`,
  day: (time) => `toDateTime(toDate(${time}), 'UTC')`,
};
const startOf = (level: Level, time: string): string => START_OF[level](time);

/** Rows of one such time are together, by domain, so that short ranges of an account and long ones of a domain read little. */
const BUCKET_OF: Record<Level, string> = {
  minute: 'toStartOfHour(period)',
  quarter: 'toDate(period)',
  hour: 'toDate(period)',
  day: 'toStartOfMonth(period)',
};
/** Ranges of a domain are short. */
const ROLLUP = 'index_granularity = 1024';

/** Expired rows go with their part, so that nothing is rewritten. Parts have rows of one week. */
const DROP_PARTS = 'ttl_only_drop_parts = 1';

/** The TTL of each table whose rows expire. */
export const expiries = ({ rawDays, minuteDays }: TableOptions): Record<string, string> => ({
  [EVENTS]: `toDateTime(at) + toIntervalDay(${rawDays})`,
  [POSITIONS]: `day + toIntervalDay(${rawDays})`,
  [countsTable('minute')]: `period + toIntervalDay(${minuteDays})`,
});

/** All tables with rows of events, from the finest: each can be made from the ones before it, as far as these are kept. */
export const DATA_TABLES: readonly string[] = [
  EVENTS,
  POSITIONS,
  ...(Object.keys(LEVELS) as Level[]).map(countsTable),
  ...GROUP_LEVELS.map(groupsTable),
];

/** The statements that create all tables and views. Each may run any number of times. */
export function tables(options: TableOptions): string[] {
  return [
    events(options),
    ...positions(options),
    ...(Object.keys(LEVELS) as Level[]).flatMap((level) => counts(level, options)),
    ...GROUP_LEVELS.flatMap((level) => groups(level, options)),
    create(PROGRESS, options, {
      columns: 'source String, position SimpleAggregateFunction(max, UInt64)',
      engine: 'AggregatingMergeTree',
      order: 'source',
      settings: durable(options),
    }),
  ];
}

export const onCluster = ({ cluster }: Pick<TableOptions, 'cluster'>): string =>
  cluster === undefined ? '' : ` ON CLUSTER '${cluster}'`;

interface Shape {
  columns: string;
  engine: string;
  partition?: string;
  order: string;
  settings: string;
}

function create(name: string, options: TableOptions, { columns, engine, partition, order, settings }: Shape): string {
  const expiry = expiries(options)[name];
  return `CREATE TABLE IF NOT EXISTS ${name}${onCluster(options)} (${columns})
    ENGINE = ${options.cluster === undefined ? '' : 'Replicated'}${engine}
    ${partition === undefined ? '' : `PARTITION BY ${partition}`} ORDER BY ${order}
    ${expiry === undefined ? '' : `TTL ${expiry}`} SETTINGS ${settings}`;
}

/**
 * - The deduplication window is off by default for tables that are not replicated.
 * - An insert is flushed to disk before it is confirmed: the position in the event log advances after it, so a power
 *   failure must not lose it.
 */
const durable = ({ cluster }: TableOptions): string =>
  `${cluster === undefined ? 'non_replicated' : 'replicated'}_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1`;

function events(options: TableOptions): string {
  return create(EVENTS, options, {
    columns: `
      event_id UUID,
      position UInt64 CODEC(Delta, ZSTD),
      account_id UUID CODEC(ZSTD),
      domain_id UUID CODEC(ZSTD),
      email_id UUID CODEC(ZSTD),
      type LowCardinality(String),
      recipient String CODEC(ZSTD),
      provider LowCardinality(String),
      tags Map(LowCardinality(String), String) CODEC(ZSTD),
      ip LowCardinality(String),
      host LowCardinality(String),
      api_key LowCardinality(String),
      bounce_type LowCardinality(String),
      bounce_class LowCardinality(String),
      is_bot UInt8 CODEC(ZSTD),
      is_simulated UInt8 CODEC(ZSTD),
      latency_ms UInt32 CODEC(ZSTD),
      counter LowCardinality(String),
      folded Array(LowCardinality(String)) CODEC(ZSTD),
      at DateTime64(3, 'UTC') CODEC(Delta, ZSTD),
      batch UInt64 CODEC(ZSTD),
      INDEX by_email email_id TYPE bloom_filter GRANULARITY 4`,
    engine: 'MergeTree',
    partition: 'toMonday(at)',
    // By hour before the domain: the edge of a range reads one hour of the account, not one granule of each of its domains.
    order: '(account_id, toStartOfHour(at), domain_id, at)',
    settings: `${durable(options)}, ${DROP_PARTS}`,
  });
}

/** `where`: which events. */
export const positionsFromEvents = (where: string): string =>
  `SELECT position, batch, toDate(at) AS day FROM ${EVENTS} WHERE ${where}`;

/**
 * Which positions are stored, and by which batch. Ordered by position, so that a range reads some thousand rows however
 * large the store is; consecutive positions take next to no space.
 */
function positions(options: TableOptions): string[] {
  return [
    create(POSITIONS, options, {
      columns: 'position UInt64 CODEC(Delta, ZSTD), batch UInt64 CODEC(ZSTD), day Date CODEC(ZSTD)',
      engine: 'MergeTree',
      partition: 'toMonday(day)',
      order: 'position',
      settings: `${durable(options)}, ${DROP_PARTS}`,
    }),
    view(POSITIONS, options, positionsFromEvents('1')),
  ];
}

const STATS = STATS_COLUMNS.map((column) => `${column} ${columnType(column)}`).join(', ');
const STATS_FROM_EVENTS = STATS_COLUMNS.map(fromEvents).join(', ');
const partitionOf = (level: Level) =>
  level === 'minute' ? 'toMonday(period)' : level === 'day' ? 'toYear(period)' : 'toYYYYMM(period)';

export const countsFromEvents = (level: Level, where: string): string =>
  `SELECT account_id, domain_id, ${startOf(level, 'at')} AS period, ${STATS_FROM_EVENTS}
     FROM ${EVENTS} WHERE counter != '' AND ${where} GROUP BY account_id, domain_id, period`;

/** From a roll-up of the same kind with shorter periods, whose table has the columns of `keys` beside them. */
export const rolledUp = (from: string, { level, keys, where }: { level: Level; keys: string; where: string }): string =>
  `SELECT ${keys}, start AS period, ${STATS_COLUMNS.map(mergedState).join(', ')}
     FROM (SELECT *, ${startOf(level, 'period')} AS start FROM ${from} WHERE ${where}) GROUP BY ${keys}, start`;

function counts(level: Level, options: TableOptions): string[] {
  const name = countsTable(level);
  return [
    create(name, options, {
      columns: `account_id UUID CODEC(ZSTD), domain_id UUID CODEC(ZSTD), period DateTime('UTC') CODEC(Delta, ZSTD), ${STATS}`,
      engine: 'AggregatingMergeTree',
      partition: partitionOf(level),
      order: `(account_id, ${BUCKET_OF[level]}, domain_id, period)`,
      settings: `${durable(options)}, ${ROLLUP}${level === 'minute' ? `, ${DROP_PARTS}` : ''}`,
    }),
    view(name, options, countsFromEvents(level, '1')),
  ];
}

/** An event has a row for each dimension of which it has a value. The others are what remains of all events. */
export const DIMENSION_VALUES = `arrayConcat(
  arrayFilter(pair -> pair.2 != '',
    [('provider', toString(provider)), ('ip', toString(ip)), ('host', toString(host)),
     ('bounce_class', toString(bounce_class)), ('api_key', toString(api_key))]),
  arrayMap((key, value) -> if(has(folded, concat('key:', key)), ('${OTHER_KEYS}', ''), (concat('tag:', key), value)),
           mapKeys(tags), mapValues(tags)))`;

export const groupsFromEvents = (level: Level, where: string): string =>
  `SELECT account_id, pair.1 AS dimension, domain_id, ${startOf(level, 'at')} AS period,
          if(has(folded, pair.1), '${OTHER}', pair.2) AS value, ${STATS_FROM_EVENTS}
     FROM ${EVENTS} ARRAY JOIN ${DIMENSION_VALUES} AS pair
    WHERE counter != '' AND ${where} GROUP BY account_id, dimension, domain_id, period, value`;

function groups(level: Level, options: TableOptions): string[] {
  const name = groupsTable(level);
  return [
    create(name, options, {
      columns: `account_id UUID CODEC(ZSTD), dimension LowCardinality(String), domain_id UUID CODEC(ZSTD),
                period DateTime('UTC') CODEC(Delta, ZSTD), value String CODEC(ZSTD), ${STATS}`,
      engine: 'AggregatingMergeTree',
      partition: partitionOf(level),
      order: `(account_id, dimension, ${BUCKET_OF[level]}, domain_id, period, value)`,
      settings: `${durable(options)}, ${ROLLUP}`,
    }),
    view(name, options, groupsFromEvents(level, '1')),
  ];
}

const RECIPIENT_ROLLUPS = [...(Object.keys(LEVELS) as Level[]).map(countsTable), ...GROUP_LEVELS.map(groupsTable)];

/**
 * Adds what tells recipients of the simulator apart to the tables of the first version. Older rows have none. Views of a new
 * store have the query already and are left alone: the deduplication tokens of a view change at the first start of the engine
 * after a change of its query, so that a batch that is repeated across that start would count twice in the roll-ups.
 */
export function addSimulatedColumns(options: TableOptions, definitions: ReadonlyMap<string, string>): string[] {
  const alter = (table: string, change: string) => `ALTER TABLE ${table}${onCluster(options)} ${change}`;
  const columns = SIMULATED_COLUMNS.map((column) => `ADD COLUMN IF NOT EXISTS ${column} ${columnType(column)}`);
  const modify = (table: string, query: string) =>
    definitions.get(`${table}_feed`)?.includes('is_simulated') ? [] : [alter(`${table}_feed`, `MODIFY QUERY ${query}`)];
  const levels = Object.keys(LEVELS) as Level[];
  return [
    alter(EVENTS, 'ADD COLUMN IF NOT EXISTS is_simulated UInt8 CODEC(ZSTD)'),
    ...RECIPIENT_ROLLUPS.map((table) => alter(table, columns.join(', '))),
    ...levels.flatMap((level) => modify(countsTable(level), countsFromEvents(level, '1'))),
    ...GROUP_LEVELS.flatMap((level) => modify(groupsTable(level), groupsFromEvents(level, '1'))),
  ];
}

const view = (table: string, options: TableOptions, query: string): string =>
  `CREATE MATERIALIZED VIEW IF NOT EXISTS ${table}_feed${onCluster(options)} TO ${table} AS ${query}`;
