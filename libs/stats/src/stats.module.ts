import { Global, Module, type DynamicModule } from '@nestjs/common';
import { Shutdown } from '#libs/kernel';
import { StatsStore } from './stats-store.js';

/** The statistics store. The engine is opened on first use. */
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
