import { approximateIn, RATES, type MetricsAnswer, type MetricsQuery, type MetricsRow } from './metrics-query.js';
import type { CountedMetric, Group, MetricValues, RateMetric } from './metrics-query.js';
import { neededCounts } from './metrics-sql.js';

/** A row as the engine gives it: 64-bit numbers may be text, `d0`, `d1`, … are the break-down. */
export type EngineRow = Record<string, string | number | null>;

const RATE_DIGITS = 6;

/** The answer from the rows of `metricsStatement`, the total first; `starts` are those of the periods. */
export function metricsAnswer(
  of: MetricsQuery,
  starts: readonly number[],
  [total = {}, ...parts]: readonly EngineRow[],
): MetricsAnswer {
  const rows = parts.map((row) => ({ ...placeOf(of, row), values: valuesOf(of, row) }));
  return { totals: valuesOf(of, total), rows: completed(of, starts, rows), approximate: approximateIn(of) };
}

/** Periods alone are a chart: each of them has a row, also one in which nothing happened. */
function completed(of: MetricsQuery, starts: readonly number[], rows: MetricsRow[]): MetricsRow[] | null {
  const { dimensions, groupBy } = of;
  if (dimensions.length + groupBy.length === 0) return null;
  if (dimensions.length + groupBy.length > 1 || dimensions[0] !== 'period') return rows;
  const known = new Map(rows.map((row) => [row.period?.getTime(), row]));
  return starts.map((ms) => known.get(ms) ?? { period: new Date(ms), values: valuesOf(of, {}) });
}

function valuesOf({ metrics, percentiles }: MetricsQuery, row: EngineRow): MetricValues {
  const counts = Object.fromEntries(neededCounts(metrics).map((name) => [name, Number(row[name] ?? 0)]));
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

/** The engine says "not a number" where there is nothing to take a percentile of. */
function wholeOrNull(value: string | number | null | undefined): number | null {
  const number = value === null || value === undefined ? Number.NaN : Number(value);
  return Number.isNaN(number) ? null : Math.round(number);
}

function placeOf({ dimensions, groupBy }: MetricsQuery, row: EngineRow): Omit<MetricsRow, 'values'> {
  const place: Omit<MetricsRow, 'values'> = {};
  const textAt = (i: number) => (row[`d${i}`] === null ? null : String(row[`d${i}`]));
  dimensions.forEach((name, i) => {
    if (name === 'period') place.period = new Date(Number(row[`d${i}`]) * 1_000);
    else if (name === 'domain') place.domainId = textAt(i);
    else place.emailId = textAt(i) ?? '';
  });
  groupBy.forEach((group, i) => setGroup(place, group, textAt(dimensions.length + i)));
  return place;
}

function setGroup(place: Omit<MetricsRow, 'values'>, group: Group, value: string | null): void {
  if (group === 'provider') place.provider = value;
  else if (group === 'ip') place.ip = value;
  else if (group === 'bounce_class') place.bounceClass = value;
  else place.tags = { ...place.tags, [group.slice('tag:'.length)]: value };
}
