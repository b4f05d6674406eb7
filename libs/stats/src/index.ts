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
export { statsCounter, STORED_TYPES } from './event-row.js';
export type { LiveCounts, LiveSnapshot } from './live/live-counts.js';
export { LiveStats } from './live/live-stats.js';
export { noCounts } from './live/minute-window.js';
export { startOfDate } from './periods.js';
export { statsServerVersion } from './connection.js';
export { StatsModule } from './stats.module.js';
export { StatsStore } from './stats-store.js';
