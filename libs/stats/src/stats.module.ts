import { Global, Module, type DynamicModule } from '@nestjs/common';
import { Shutdown, type Config } from '#libs/kernel';
import { requireEmbeddedEngine } from './embedded-connection.js';
import { StatsStore } from './stats-store.js';

/** The statistics store. The engine is opened on first use. */
@Global()
@Module({})
export class StatsModule {
  static forRoot(): DynamicModule {
    return { module: StatsModule, providers: [StatsStore], exports: [StatsStore] };
  }

  /** @throws ConfigError if the settings want the embedded engine and this machine has none */
  static checkEngine(this: void, { settings }: Config): void {
    if (settings.CLICKHOUSE_URL === undefined) requireEmbeddedEngine();
  }

  constructor(store: StatsStore, shutdown: Shutdown) {
    shutdown.on('store', 'statistics', () => store.close());
  }
}
