import { Global, Module, type DynamicModule } from '@nestjs/common';
import { Config } from './config.js';
import { Health } from './health.js';
import { Log } from './log.js';
import { Metrics } from './metrics.js';
import { SafeFetch } from './safe-fetch/safe-fetch.js';
import { SecretBox } from './secret-box.js';
import { Shutdown } from './shutdown.js';
import { Wakeups } from './wakeups.js';

/** What `main` made before Nest started. */
export interface KernelParts {
  config: Config;
  log: Log;
  shutdown: Shutdown;
}

/** Config, Log, Shutdown, Health, Metrics, SafeFetch, SecretBox and Wakeups for every part of the process. */
@Global()
@Module({})
export class KernelModule {
  static forRoot({ config, log, shutdown }: KernelParts): DynamicModule {
    const masterKey = config.settings.MASTER_KEY;
    if (!masterKey) throw new Error('MASTER_KEY must be known before the modules are built');
    const providers = [
      { provide: Config, useValue: config },
      { provide: Log, useValue: log },
      { provide: Shutdown, useValue: shutdown },
      { provide: Health, useValue: new Health() },
      { provide: Metrics, useValue: new Metrics() },
      { provide: SafeFetch, useValue: new SafeFetch(config) },
      { provide: SecretBox, useValue: new SecretBox(masterKey) },
      { provide: Wakeups, useValue: new Wakeups() },
    ];
    return { module: KernelModule, providers, exports: providers.map((p) => p.provide) };
  }
}
