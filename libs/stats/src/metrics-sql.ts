import { seesDomain, visibleDomains } from '#libs/contracts';
import type { Statement } from './engine.js';
import { NO_ID, uuidOf } from './event-row.js';
import { isRate, type AccountsQuery, type Group, type Metric, type MetricsQuery } from './metrics-query.js';
import type { Segment } from './queries/segments.js';
import { columnsOfRate, columnsOfSum, SUMS, type SumMetric } from './rates.js';
import { DISJOINT, fromEvents, LATENCY, merged, type StatsColumn, type SummableColumn } from './schema/columns.js';
import { countsTable, EVENTS, groupsTable, LEVELS } from './schema/tables.js';

/** Queries with more rows are refused. */
export const MAX_ROWS = 5_000;

/** How a query is answered. */
export interface MetricsPlan {
  /** Disjoint, and together the whole range. */
  segments: readonly Segment[];
  /** The starts of the periods; empty if the query has none. */
  starts: readonly number[];
  /**
   * Roll-ups have no group of events without a value: the rows whose group is null then have all events, and
   * `subtractValues` takes away those with a value.
   */
  nullIsWhole: boolean;
}

/**
 * The columns `d0`, `d1`, … are the dimensions, then the groups; the row with `is_total` 1 is the total. Both come from one
 * read, so that they are consistent. If `nullIsWhole`, the total is that of the rows whose group is null; without dimensions
 * it is such a row itself, see `splitTotal`.
 */
export function metricsStatement(of: MetricsQuery, plan: MetricsPlan): Statement {
  const keys = keysOf(of, plan);
  const names = keys.map((_, i) => `d${i}`);
  const columns = columnsOf(of);
  const params = paramsOf(of, plan);
  const source = sources(of, plan, columns).join('\n UNION ALL ');
  if (keys.length === 0) {
    const values = columns.map((column) => `${merged(column)} AS ${column}`);
    return { query: `SELECT 1 AS is_total, ${values.join(', ')} FROM (${source})`, params };
  }
  const values = columns.map((column) => `${merged(column)} AS ${column}`);
  if (plan.nullIsWhole) values.push('sum(seen) AS seen', `sum(delivered_count) AS ${LATENCIES}`);
  const { isTotal, groupBy } = grouping(names, plan);
  return {
    query: `SELECT ${isTotal} AS is_total, ${[...keys.map(({ key }, i) => `${key} AS d${i}`), ...values].join(',\n  ')}
      FROM (${source})
      GROUP BY ${groupBy}
      ORDER BY is_total DESC, ${keys.map(({ order }, i) => order(`d${i}`)).join(', ')} LIMIT ${rowLimit(plan)}`,
    params,
  };
}

/** Every value is aggregated once: states of many values take most of the time of a grouped query. */
function grouping(names: readonly string[], { nullIsWhole }: MetricsPlan): { isTotal: string; groupBy: string } {
  if (!nullIsWhole) return { isTotal: 'grouping(d0)', groupBy: `GROUPING SETS ((${names.join(', ')}), ())` };
  if (names.length === 1) return { isTotal: 'isNull(d0)', groupBy: 'd0' };
  const group = names[names.length - 1];
  return {
    isTotal: 'grouping(d0)',
    groupBy: `GROUPING SETS ((${names.join(', ')}), (${group})) HAVING NOT (is_total = 1 AND isNotNull(${group}))`,
  };
}

/** Rows that are read at most; so many are too many. The total is one of them, and those without a value may go. */
export const rowLimit = ({ nullIsWhole }: MetricsPlan): number => (nullIsWhole ? 2 : 1) * MAX_ROWS + 2;

/** The counts from which all metrics are computed. */
export function requiredCounts(metrics: MetricsQuery['metrics']): SummableColumn[] {
  return [...new Set(metrics.flatMap(columnsOfMetric))];
}

function columnsOfMetric(name: Metric): SummableColumn[] {
  if (isRate(name)) return columnsOfRate(name);
  return name in SUMS ? columnsOfSum(SUMS[name as SumMetric]) : [name as SummableColumn];
}

const columnsOf = ({ metrics, percentiles }: MetricsQuery): StatsColumn[] => [
  ...requiredCounts(metrics),
  ...(percentiles.length > 0 ? ([LATENCY] as const) : []),
];

/** The column with the number of latencies, so that it is known whether there are some without a value. */
export const LATENCIES = 'latencies';

interface Key {
  key: string;
  order: (column: string) => string;
}

/** The last key is the group if `nullIsWhole`. */
function keysOf(of: MetricsQuery, { starts }: MetricsPlan): Key[] {
  const plain = (column: string) => column;
  // The engine orders UUIDs by their second half.
  const asText = (column: string) => `toString(${column})`;
  return [
    ...of.dimensions.map((name): Key => {
      switch (name) {
        case 'period':
          return { key: periodKey(of.granularity, starts), order: plain };
        case 'domain':
          return { key: 'domain_id', order: asText };
        case 'email':
          return { key: 'email_id', order: asText };
      }
    }),
    ...of.groupBy.map((_, i): Key => ({ key: `g${i}`, order: plain })),
  ];
}

/** The start of the period of a row, in seconds. Minutes are evenly spaced, and so are hours unless clocks change. */
function periodKey(granularity: MetricsQuery['granularity'], starts: readonly number[]): string {
  // An empty range has no rows either.
  if (starts.length === 0) return '0';
  const seconds = starts.map((ms) => ms / 1_000);
  const length = granularity === 'minute' || granularity === 'hour' ? LEVELS[granularity] / 1_000 : null;
  const isEven = length !== null && seconds.every((start, i) => start === seconds[0] + i * length);
  if (!isEven) return `roundDown(toUnixTimestamp(moment), [${seconds.join(', ')}])`;
  return `${seconds[0]} + intDiv(toUnixTimestamp(moment) - ${seconds[0]}, ${length}) * ${length}`;
}

const isTag = (group: Group): group is `tag:${string}` => group.startsWith('tag:');
const tagOf = (group: Group) => group.slice('tag:'.length);

function paramsOf(of: MetricsQuery, { segments }: MetricsPlan): Statement['params'] {
  const domains = domainsOf(of);
  const uuids = (ids: readonly string[]) => ids.map(uuidOf).filter((uuid) => uuid !== null);
  return {
    account: uuidOf(of.visibility.accountId) ?? NO_ID,
    ...(domains === null ? {} : { domains: uuids(domains) }),
    ...(of.emailIds === null ? {} : { emails: uuids(of.emailIds) }),
    ...Object.fromEntries(of.groupBy.flatMap((group, i) => (isTag(group) ? [[`tag_${i}`, tagOf(group)]] : []))),
    ...(of.groupBy.length === 1 ? { dimension: of.groupBy[0] } : {}),
    ...rangeParams(segments),
  };
}

function rangeParams(segments: readonly Segment[]): Record<string, number> {
  return Object.fromEntries(
    segments.flatMap(({ source, from, to }, i) => {
      const unit = source === 'events' ? 1 : 1_000;
      return [
        [`from_${i}`, from / unit],
        [`to_${i}`, to / unit],
      ];
    }),
  );
}

/** The domains of the filter that the key sees; without a filter, those that it sees; null for all. */
const domainsOf = ({ domainIds, visibility }: MetricsQuery): string[] | null =>
  domainIds === null ? visibleDomains(visibility) : domainIds.filter((id) => seesDomain(visibility, id));

/** One query per table; its rows have `domain_id`, `moment`, the groups, and the columns as counts or states. */
function sources(of: MetricsQuery, plan: MetricsPlan, columns: readonly StatsColumn[]): string[] {
  const { segments, nullIsWhole } = plan;
  return rangesBySource(segments).flatMap(([source, within]) => {
    const where = [...filterOf(of), within].join(' AND ');
    if (source === 'events') return [eventRows(of, plan, { columns, where })];
    const grouped = of.groupBy.length > 0;
    const seen = nullIsWhole ? `, ${DISJOINT.join(' + ')} AS seen, delivered AS delivered_count` : '';
    const row = (group: string) => `SELECT domain_id, period AS moment${group}, ${columns.join(', ')}${seen}`;
    const counts = `FROM ${countsTable(source)} WHERE ${where}`;
    if (!grouped) return [`${row('')} ${counts}`];
    const groups = `${row(', toNullable(value) AS g0')} FROM ${groupsTable(source)} WHERE dimension = {dimension:String} AND ${where}`;
    return [groups, `${row(', CAST(NULL AS Nullable(String)) AS g0')} ${counts}`];
  });
}

/** A condition per table for the time of its rows. */
function rangesBySource(segments: readonly Segment[]): [source: Segment['source'], within: string][] {
  const bySource = new Map<Segment['source'], string[]>();
  segments.forEach(({ source }, i) => {
    const within =
      source === 'events'
        ? `(at >= fromUnixTimestamp64Milli({from_${i}:Int64}, 'UTC') AND at < fromUnixTimestamp64Milli({to_${i}:Int64}, 'UTC'))`
        : `(period >= toDateTime({from_${i}:UInt32}, 'UTC') AND period < toDateTime({to_${i}:UInt32}, 'UTC'))`;
    bySource.set(source, [...(bySource.get(source) ?? []), within]);
  });
  // Without a segment, which is an empty range, the query still needs a source.
  if (bySource.size === 0) bySource.set('day', ['0']);
  return [...bySource].map(([source, ranges]) => [source, `(${ranges.join(' OR ')})`]);
}

/** A row per account with the counts of all its mail, for the operator. */
export function accountsStatement({ accountIds, metrics }: AccountsQuery, segments: readonly Segment[]): Statement {
  const columns = requiredCounts(metrics);
  const source = rangesBySource(segments).map(([table, within]) => {
    const where = `account_id IN {accounts:Array(UUID)} AND ${within}`;
    return table === 'events'
      ? `SELECT account_id, ${columns.map(fromEvents).join(', ')} FROM ${EVENTS} WHERE ${where} AND counter != '' GROUP BY account_id`
      : `SELECT account_id, ${columns.join(', ')} FROM ${countsTable(table)} WHERE ${where}`;
  });
  const values = columns.map((column) => `${merged(column)} AS ${column}`);
  return {
    query: `SELECT toString(account_id) AS account, ${values.join(', ')}
              FROM (${source.join(' UNION ALL ')}) GROUP BY account_id`,
    params: {
      accounts: accountIds.map(uuidOf).filter((uuid) => uuid !== null),
      ...rangeParams(segments),
    },
  };
}

function filterOf(of: MetricsQuery): string[] {
  return [
    'account_id = {account:UUID}',
    ...(domainsOf(of) === null ? [] : ['domain_id IN {domains:Array(UUID)}']),
    ...(of.emailIds === null ? [] : ['email_id IN {emails:Array(UUID)}']),
  ];
}

function eventRows(
  of: MetricsQuery,
  { nullIsWhole }: MetricsPlan,
  { columns, where }: { columns: readonly StatsColumn[]; where: string },
): string {
  const byEmail = of.dimensions.includes('email') ? ['email_id'] : [];
  const groups = nullIsWhole
    ? ['with_value AS g0']
    : of.groupBy.map((group, i) => `${groupExpression(group, i)} AS g${i}`);
  const names = ['domain_id', 'moment', ...byEmail, ...of.groupBy.map((_, i) => `g${i}`)];
  // An event with a value has two rows: one among all events, and one for the value.
  const value = nullIsWhole ? groupExpression(of.groupBy[0], 0) : '';
  const twice = nullIsWhole ? `ARRAY JOIN if(isNull(${value}), [${value}], [NULL, ${value}]) AS with_value` : '';
  const extra = nullIsWhole ? ['count() AS seen', `countIf(counter = 'delivered') AS delivered_count`] : [];
  const values = [...columns.map(fromEvents), ...extra];
  return `SELECT domain_id, toStartOfMinute(at) AS moment, ${[...byEmail, ...groups, ...values].join(', ')}
            FROM ${EVENTS} ${twice} WHERE ${where} AND counter != '' GROUP BY ${names.join(', ')}`;
}

function groupExpression(group: Group, i: number): string {
  if (isTag(group)) return `if(mapContains(tags, {tag_${i}:String}), tags[{tag_${i}:String}], NULL)`;
  return `nullIf(toString(${group}), '')`;
}
