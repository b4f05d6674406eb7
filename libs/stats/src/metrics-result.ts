import { approximateValues, RATES, type MetricsResult, type MetricsQuery, type MetricsRow } from './metrics-query.js';
import type { CountedMetric, Group, MetricValues, RateMetric } from './metrics-query.js';
import { requiredCounts } from './metrics-sql.js';

/** A row of the engine: 64-bit numbers may be text; `d0`, `d1`, … are the dimensions. */
export type EngineRow = Record<string, string | number | null>;

const RATE_DIGITS = 6;

/** The result from the rows of `metricsStatement`, the total first. `starts`: the starts of the periods. */
export function toMetricsResult(
  query: MetricsQuery,
  starts: readonly number[],
  [total = {}, ...parts]: readonly EngineRow[],
): MetricsResult {
  const rows = parts.map((row) => ({ ...dimensionsOf(query, row), values: valuesOf(query, row) }));
  return {
    totals: valuesOf(query, total),
    rows: withEmptyPeriods(query, starts, rows),
    approximate: approximateValues(query),
  };
}

/** A breakdown by period alone is a chart: periods without events have a row too. */
function withEmptyPeriods(query: MetricsQuery, starts: readonly number[], rows: MetricsRow[]): MetricsRow[] | null {
  const { dimensions, groupBy } = query;
  if (dimensions.length + groupBy.length === 0) return null;
  if (dimensions.length + groupBy.length > 1 || dimensions[0] !== 'period') return rows;
  const known = new Map(rows.map((row) => [row.period?.getTime(), row]));
  return starts.map((ms) => known.get(ms) ?? { period: new Date(ms), values: valuesOf(query, {}) });
}

function valuesOf({ metrics, percentiles }: MetricsQuery, row: EngineRow): MetricValues {
  const counts = Object.fromEntries(requiredCounts(metrics).map((name) => [name, Number(row[name] ?? 0)]));
  const values: MetricValues = {};
  for (const name of metrics) values[name] = name in RATES ? rate(name as RateMetric, counts) : counts[name];
  if (percentiles.length > 0)
    values.latency_ms = Object.fromEntries(percentiles.map((name) => [name, wholeOrNull(row[name])]));
  return values;
}

function rate(name: RateMetric, counts: Partial<Record<string, number>>): number | null {
  const [part, whole] = RATES[name] as readonly [string, CountedMetric];
  const base = counts[whole] ?? 0;
  return base === 0 ? null : Number(((counts[part] ?? 0) / base).toFixed(RATE_DIGITS));
}

/** A percentile of nothing is NaN. */
function wholeOrNull(value: string | number | null | undefined): number | null {
  const number = value === null || value === undefined ? Number.NaN : Number(value);
  return Number.isNaN(number) ? null : Math.round(number);
}

function dimensionsOf({ dimensions, groupBy }: MetricsQuery, row: EngineRow): Omit<MetricsRow, 'values'> {
  const found: Omit<MetricsRow, 'values'> = {};
  const textAt = (i: number) => (row[`d${i}`] === null ? null : String(row[`d${i}`]));
  dimensions.forEach((name, i) => {
    if (name === 'period') found.period = new Date(Number(row[`d${i}`]) * 1_000);
    else if (name === 'domain') found.domainId = textAt(i);
    else found.emailId = textAt(i) ?? '';
  });
  groupBy.forEach((group, i) => setGroup(found, group, textAt(dimensions.length + i)));
  return found;
}

function setGroup(row: Omit<MetricsRow, 'values'>, group: Group, value: string | null): void {
  if (group === 'provider') row.provider = value;
  else if (group === 'ip') row.ip = value;
  else if (group === 'bounce_class') row.bounceClass = value;
  else row.tags = { ...row.tags, [group.slice('tag:'.length)]: value };
}
