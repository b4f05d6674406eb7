import type { IdPrefix } from '#libs/contracts';
import { approximateValues, isRate, type MetricsResult, type MetricsQuery, type MetricsRow } from './metrics-query.js';
import type { Group, Metric, MetricValues } from './metrics-query.js';
import { rateReader, SUMS, sumReader, type Sum, type SumMetric } from './rates.js';
import { LATENCIES, requiredCounts, type MetricsPlan } from './metrics-sql.js';
import { NO_ID } from './event-row.js';
import { LATENCY, PERCENTILES } from './schema/columns.js';
import { OTHER } from './schema/tables.js';

/** A row of the engine: 64-bit numbers may be text; `d0`, `d1`, … are the dimensions. */
export type EngineRow = Record<string, string | number | null | (number | null)[]>;

/** The result from the rows of `metricsStatement`, the total first. */
export function toMetricsResult(
  query: MetricsQuery,
  { starts, nullIsWhole }: Pick<MetricsPlan, 'starts' | 'nullIsWhole'>,
  found: readonly EngineRow[],
): Omit<MetricsResult, 'truncated'> {
  const { total, parts } = splitTotal(query, nullIsWhole, found);
  const known = nullIsWhole ? subtractValues(query, parts) : parts;
  const valuesOf = valuesReader(query);
  const rows = known.map((row) => ({ ...dimensionsOf(query, row), values: valuesOf(row) }));
  return {
    totals: valuesOf(total),
    rows: withEmptyPeriods(query, starts, rows),
    approximate: approximateValues(query),
    from: query.from,
    to: query.to,
  };
}

/** The total is the first row, which without dimensions is also the part whose group is null; that one comes last. */
function splitTotal(
  { dimensions }: MetricsQuery,
  nullIsWhole: boolean,
  rows: readonly EngineRow[],
): { total: EngineRow; parts: readonly EngineRow[] } {
  const [total = {}] = rows;
  const isPart = nullIsWhole && dimensions.length === 0;
  return { total, parts: [...rows.slice(1), ...(isPart ? rows.slice(0, 1) : [])] };
}

/** Whether some values of the group were counted together. */
export function hasOther(query: MetricsQuery, rows: readonly EngineRow[]): boolean {
  const group = `d${query.dimensions.length}`;
  return query.groupBy.length > 0 && rows.some((row) => row[group] === OTHER);
}

/** Whether percentiles were asked for of deliveries without a value of the group, which roll-ups do not have. */
export function lacksLatencies(query: MetricsQuery, rows: readonly EngineRow[]): boolean {
  const group = `d${query.dimensions.length}`;
  const { parts } = splitTotal(query, true, rows);
  return (
    query.percentiles.length > 0 &&
    subtractValues(query, parts).some((row) => row[group] === null && row[LATENCIES] !== 0)
  );
}

/**
 * Reduces the rows whose group is null from all events to those without a value. A message has one value of a tag, and an
 * event one of each other group, so the groups are disjoint, also in unique recipients. Percentiles cannot be subtracted.
 */
function subtractValues(query: MetricsQuery, rows: readonly EngineRow[]): EngineRow[] {
  const dimensions = query.dimensions.map((_, i) => `d${i}`);
  const group = `d${dimensions.length}`;
  const columns = [...requiredCounts(query.metrics), 'seen', LATENCIES];
  const placeOf = (row: EngineRow) => JSON.stringify(dimensions.map((name) => row[name]));
  const tagged = new Map<string, number[]>();
  for (const row of rows.filter((each) => each[group] !== null)) {
    const sums = tagged.get(placeOf(row)) ?? columns.map(() => 0);
    tagged.set(
      placeOf(row),
      columns.map((name, i) => sums[i] + Number(row[name])),
    );
  }
  return rows.flatMap((row) => {
    if (row[group] !== null) return [row];
    const sums = tagged.get(placeOf(row)) ?? columns.map(() => 0);
    const left = columns.map((name, i) => [name, Math.max(0, Number(row[name]) - sums[i])] as const);
    const rest: EngineRow = { ...row, ...Object.fromEntries(left), [LATENCY]: [] };
    return rest['seen'] === 0 ? [] : [rest];
  });
}

/** A breakdown by period alone is a chart: periods without events have a row too. */
function withEmptyPeriods(query: MetricsQuery, starts: readonly number[], rows: MetricsRow[]): MetricsRow[] | null {
  const { dimensions, groupBy } = query;
  if (dimensions.length + groupBy.length === 0) return null;
  if (dimensions.length + groupBy.length > 1 || dimensions[0] !== 'period') return rows;
  const valuesOf = valuesReader(query);
  const known = new Map(rows.map((row) => [row.period?.getTime(), row]));
  return starts.map((ms) => known.get(ms) ?? { period: new Date(ms), values: valuesOf({}) });
}

/** The values of each account that has a row of `accountsStatement`, by its id. */
export function valuesByAccount(metrics: readonly Metric[], found: readonly EngineRow[]): Map<string, MetricValues> {
  const valuesOf = valuesReader({ metrics, percentiles: [] });
  return new Map(found.map((row) => [idOf('acc', String(row['account'])) ?? '', valuesOf(row)]));
}

/** Reads the values of a row. Prepared once: a chart by minute has 1,440 rows of twenty values. */
function valuesReader({
  metrics,
  percentiles,
}: Pick<MetricsQuery, 'metrics' | 'percentiles'>): (row: EngineRow) => MetricValues {
  const readers = metrics.map((name) => [name, readerOf(name)] as const);
  const places = percentiles.map((name) => [name, Object.keys(PERCENTILES).indexOf(name)] as const);
  return (row) => {
    const values: MetricValues = {};
    for (const [name, read] of readers) values[name] = read(row);
    if (places.length > 0) {
      const latency = (row[LATENCY] ?? []) as (number | null)[];
      values.latency_ms = Object.fromEntries(places.map(([name, i]) => [name, wholeOrNull(latency[i])]));
    }
    return values;
  };
}

function readerOf(name: Metric): (row: EngineRow) => number | null {
  if (isRate(name)) return rateReader(name);
  return sumReader(name in SUMS ? SUMS[name as SumMetric] : ([name] as Sum));
}

/** A percentile of nothing is NaN. */
function wholeOrNull(value: number | null | undefined): number | null {
  const number = value === null || value === undefined ? Number.NaN : Number(value);
  return Number.isNaN(number) ? null : Math.round(number);
}

function dimensionsOf({ dimensions, groupBy }: MetricsQuery, row: EngineRow): Omit<MetricsRow, 'values'> {
  const found: Omit<MetricsRow, 'values'> = {};
  const textAt = (i: number) => (row[`d${i}`] === null ? null : String(row[`d${i}`]));
  dimensions.forEach((name, i) => {
    if (name === 'period') found.period = new Date(Number(row[`d${i}`]) * 1_000);
    else if (name === 'domain') found.domainId = idOf('dom', textAt(i));
    else found.emailId = idOf('em', textAt(i)) ?? '';
  });
  groupBy.forEach((group, i) => setGroup(found, group, textAt(dimensions.length + i)));
  return found;
}

const idOf = (prefix: IdPrefix, uuid: string | null): string | null =>
  uuid === null || uuid === NO_ID ? null : `${prefix}_${uuid.replaceAll('-', '')}`;

function setGroup(row: Omit<MetricsRow, 'values'>, group: Group, value: string | null): void {
  if (group === 'provider') row.provider = value;
  else if (group === 'ip') row.ip = value;
  else if (group === 'host') row.host = value;
  else if (group === 'api_key') row.apiKeyId = value;
  else if (group === 'bounce_class') row.bounceClass = value;
  else row.tags = { ...row.tags, [group.slice('tag:'.length)]: value };
}
