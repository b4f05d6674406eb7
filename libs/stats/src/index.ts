export { StatsModule } from './stats.module.js';
export { StatsStore, type StatsBatch } from './stats-store.js';
