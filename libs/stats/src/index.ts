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
  type MetricsResult,
  type MetricsQuery,
  type MetricsRow,
  type MetricValues,
  type Percentile,
} from './metrics-query.js';
export { STORED_TYPES } from './event-row.js';
export { startOfDate } from './periods.js';
export { statsServerVersion } from './connection.js';
export { StatsModule } from './stats.module.js';
export { StatsStore } from './stats-store.js';
