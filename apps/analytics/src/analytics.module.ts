import { Module } from '@nestjs/common';
import { StatsSink } from './stats-sink.js';

/** Event log → statistics. The log and the store come from the program that imports this part. */
@Module({ providers: [StatsSink] })
export class AnalyticsModule {}
