import { Module } from '@nestjs/common';
import { ErasureRunnerModule } from '#libs/erasure';
import { ErasureJobs } from './erasure-jobs.js';
import { GapCheck } from './gap-check.js';
import { StoreCheck } from './store-check.js';
import { StatsSink } from './stats-sink.js';

/** Writes the event log to statistics, and erases recipients in all stores. The importing program provides the log and the store. */
@Module({ imports: [ErasureRunnerModule], providers: [ErasureJobs, GapCheck, StatsSink, StoreCheck] })
export class AnalyticsModule {}
