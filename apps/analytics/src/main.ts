import 'reflect-metadata';
import { BusModule } from '#libs/bus';
import { startProgram } from '#libs/persistence';
import { StatsModule } from '#libs/stats';
import { AnalyticsModule } from './analytics.module.js';

await startProgram({
  program: 'analytics',
  imports: () => [BusModule.forRoot(), StatsModule.forRoot(), AnalyticsModule],
});
