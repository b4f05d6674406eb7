export {
  DIMENSIONS,
  GRANULARITIES,
  GROUPS,
  METRICS,
  PERCENTILES,
  type Dimension,
  type Granularity,
  type Group,
  type Metric,
  type MetricsAnswer,
  type MetricsQuery,
  type MetricsRow,
  type MetricValues,
  type Percentile,
} from './metrics-query.js';
export { startOfDate } from './periods.js';
export { statsServerVersion } from './server-version.js';
export { StatsModule } from './stats.module.js';
export { StatsStore, type StatsBatch } from './stats-store.js';
