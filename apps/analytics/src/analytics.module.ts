import { Module } from '@nestjs/common';
import { GapCheck } from './gap-check.js';
import { StatsSink } from './stats-sink.js';

/** Writes the event log to statistics. The importing program provides the log and the store. */
@Module({ providers: [GapCheck, StatsSink] })
export class AnalyticsModule {}
