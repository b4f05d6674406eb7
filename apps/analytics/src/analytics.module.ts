import { Module } from '@nestjs/common';
import { ErasureRunnerModule } from '#libs/erasure';
import { AcceptedEvents } from './accepted-events.js';
import { ErasureJobs } from './erasure-jobs.js';
import { GapCheck } from './gap-check.js';
import { GapMetrics } from './gap-metrics.js';
import { SinkProgress } from './sink-progress.js';
import { StoreCheck } from './store-check.js';
import { StatsSink } from './stats-sink.js';
import { StoreWriters } from './store-writers.js';

/** Writes the event log to statistics, and erases recipients in all stores. The importing program provides the log and the store. */
@Module({
  imports: [ErasureRunnerModule],
  providers: [AcceptedEvents, ErasureJobs, GapCheck, GapMetrics, SinkProgress, StatsSink, StoreCheck, StoreWriters],
})
export class AnalyticsModule {}
