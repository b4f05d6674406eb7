import { Global, Module, type DynamicModule } from '@nestjs/common';
import { Shutdown } from '#libs/kernel';
import { StatsStore } from './stats-store.js';

/** Statistics for every part of the process; the engine is opened by the first who needs it. */
@Global()
@Module({})
export class StatsModule {
  static forRoot(): DynamicModule {
    return { module: StatsModule, providers: [StatsStore], exports: [StatsStore] };
  }

  constructor(store: StatsStore, shutdown: Shutdown) {
    shutdown.on('store', 'statistics', () => store.close());
  }
}
