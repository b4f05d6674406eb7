import { Global, Module, type DynamicModule } from '@nestjs/common';
import { Config } from './config/config.js';
import { Health } from './operations/health.js';
import { Log } from './logging/log.js';
import { Metrics } from './operations/metrics.js';
import { SecretBox } from './secret-box.js';
import { Shutdown } from './operations/shutdown.js';
import { LocalNotifications } from './concurrency/local-notifications.js';

/** Created by `main` before Nest starts. */
export interface KernelParts {
  config: Config;
  log: Log;
  shutdown: Shutdown;
}

/** Config, Log, Shutdown, Health, Metrics, SecretBox and LocalNotifications. */
@Global()
@Module({})
export class KernelModule {
  static forRoot({ config, log, shutdown }: KernelParts): DynamicModule {
    const providers = [
      { provide: Config, useValue: config },
      { provide: Log, useValue: log },
      { provide: Shutdown, useValue: shutdown },
      { provide: Health, useValue: new Health(log) },
      { provide: Metrics, useValue: new Metrics() },
      { provide: SecretBox, useValue: SecretBox.of(config) },
      { provide: LocalNotifications, useValue: new LocalNotifications() },
    ];
    return { module: KernelModule, providers, exports: providers.map((p) => p.provide) };
  }
}
