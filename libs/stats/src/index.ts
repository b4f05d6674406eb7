export {
  statsWords,
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
export { isRefusedRow } from './engine.js';
export { STORED_TYPES, statsCounter } from './event-row.js';
export type { LiveSnapshot } from './live/live-counts.js';
export { LiveStats } from './live/live-stats.js';
export { noCounts } from './live/minute-window.js';
export { startOfDate } from './periods.js';
export { statsServerState } from './connection.js';
export type { Recovered } from './integrity/recover.js';
export type { DayVerdict } from './integrity/verify-days.js';
export type { ReadableLog, Rebuilt } from './intake/rebuild.js';
export { StatsModule } from './stats.module.js';
export { StatsStore } from './stats-store.js';
