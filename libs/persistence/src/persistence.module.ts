import { Global, Module, type DynamicModule, type OnApplicationBootstrap, type Provider } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Config, Health, Log, Metrics, SecretBox, Shutdown } from '#libs/kernel';
import pg from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { ClockRecord } from './clock-record.js';
import { ClockSync } from './clock-sync.js';
import { Database } from './connection/database.js';
import { DatabaseMonitor } from './connection/database-monitor.js';
import { DiskSpace } from './connection/disk-space.js';
import { firstConnection, untilAvailable } from './connection/first-connection.js';
import { observedClient } from './connection/observed-client.js';
import { MIGRATIONS, MIGRATIONS_TABLE } from './migrations/index.js';
import { SqlLogger } from './connection/sql-logger.js';
import { storedCheck } from './program/master-key-check.js';
import { MASTER_KEY_POLL_MS } from './program/master-key-rotation.js';
import { Partitions } from './partitions/partitions.js';
import { RetentionGuard } from './retention/retention-guard.js';
import { RetentionRegistry } from './retention/retention-registry.js';
import { Worker } from './worker.js';

/**
 * Every statement can use an index. A plan that is cached while a table is still empty would scan the table for the
 * lifetime of the connection and cost more with every message; compiling a plan costs more than running it.
 */
const PLANNER_OPTIONS = ['jit', 'enable_seqscan', 'enable_hashjoin', 'enable_mergejoin']
  .map((name) => `-c ${name}=off`)
  .join(' ');

/** For every program; also for the command line, which has no Nest application. `Client`: of the connections. */
export function dataSourceOptions(config: Config, log: Log, Client: typeof pg.Client = pg.Client): DataSourceOptions {
  const { DATABASE_POOL_SIZE, DATABASE_POOL_WAIT, DATABASE_URL } = config.settings;
  return {
    type: 'postgres',
    url: DATABASE_URL,
    entities: [],
    migrations: MIGRATIONS,
    migrationsTableName: MIGRATIONS_TABLE,
    logger: new SqlLogger(log),
    applicationName: `postloft-${config.program}`,
    extra: {
      Client,
      max: DATABASE_POOL_SIZE,
      connectionTimeoutMillis: DATABASE_POOL_WAIT,
      options: PLANNER_OPTIONS,
      statement_timeout: 30_000,
      idle_in_transaction_session_timeout: 30_000,
    },
    poolErrorHandler: (error: Error) => log.warn('database connection lost', { reason: error.message }),
  };
}

/** The clock of the database, and what depends on it. */
const clockProviders = (log: Log): Provider[] => [
  {
    provide: ClockSync,
    inject: [DataSource, Shutdown],
    useFactory: async (dataSource: DataSource, shutdown: Shutdown) => {
      const sync = new ClockSync(dataSource, log, shutdown);
      // Before anything is accepted: its due time comes from this clock.
      await sync.start();
      return sync;
    },
  },
  {
    provide: RetentionGuard,
    inject: [ClockRecord, Metrics],
    useFactory: (clock: ClockRecord, metrics: Metrics) => new RetentionGuard(clock, log, metrics),
  },
];

/** The database for all modules of the process. Entities are registered through `TypeOrmModule.forFeature`. */
@Global()
@Module({})
export class PersistenceModule implements OnApplicationBootstrap {
  static forRoot(log: Log): DynamicModule {
    const monitor = new DatabaseMonitor(log);
    const Client = observedClient(monitor);
    return {
      module: PersistenceModule,
      imports: [
        TypeOrmModule.forRootAsync({
          inject: [Config],
          useFactory: (config: Config) => ({
            ...dataSourceOptions(config, log, Client),
            autoLoadEntities: true,
            // The attempts of Nest write to stderr instead of the log.
            toRetry: () => false,
          }),
          dataSourceFactory: (options) =>
            untilAvailable('connection', log, () => firstConnection(options as DataSourceOptions, log)),
        }),
      ],
      providers: [
        { provide: DatabaseMonitor, useValue: monitor },
        {
          provide: DiskSpace,
          inject: [Config],
          useFactory: ({ embeddedDatabase, settings }: Config) =>
            new DiskSpace(
              { folders: embeddedDatabase === null ? [] : [embeddedDatabase], lowWater: settings.DISK_LOW_WATER },
              log,
            ),
        },
        {
          provide: Database,
          inject: [DataSource, DiskSpace],
          useFactory: (dataSource: DataSource, diskSpace: DiskSpace) => new Database(dataSource, diskSpace),
        },
        ...[ClockRecord, Partitions].map((OfDatabase) => ({
          provide: OfDatabase,
          inject: [Database],
          useFactory: (database: Database) => new OfDatabase(database),
        })),
        ...clockProviders(log),
        RetentionRegistry,
        {
          provide: Worker,
          inject: [Database, Config, Shutdown],
          useFactory: (database: Database, config: Config, shutdown: Shutdown) =>
            new Worker(database, config, log, shutdown),
        },
      ],
      exports: [Database, Partitions, RetentionGuard, RetentionRegistry, Worker],
    };
  }

  constructor(
    private readonly config: Config,
    private readonly monitor: DatabaseMonitor,
    private readonly diskSpace: DiskSpace,
    private readonly dataSource: DataSource,
    health: Health,
    metrics: Metrics,
    private readonly shutdown: Shutdown,
    private readonly secretBox: SecretBox,
  ) {
    monitor.register(metrics);
    diskSpace.register(metrics);
    health.register('database', async () => {
      const problem = monitor.problem();
      if (problem === null) await dataSource.query('SELECT 1');
      return problem;
    });
    health.register('storage', () => monitor.storageProblem() ?? diskSpace.problem());
    shutdown.on('store', 'database', async () => {
      await Promise.all([monitor.stop(), diskSpace.stop()]);
      await dataSource.destroy();
    });
  }

  /** After the modules have started: a slow start is not a stalled database. */
  async onApplicationBootstrap(): Promise<void> {
    this.monitor.start(this.config.settings.DATABASE_URL ?? '');
    await this.diskSpace.start();
    if (this.config.earlierMasterKeys.length > 0) this.followMasterKey();
  }

  /** A command may replace the master key by another one that this program knows. */
  private followMasterKey(): void {
    const database = new Database(this.dataSource);
    const follow = async () => this.secretBox.use((await storedCheck(database)) ?? this.secretBox.keyCheck);
    // A failure is that of the database, which is reported elsewhere; the next round asks again.
    const timer = setInterval(() => void follow().catch(() => undefined), MASTER_KEY_POLL_MS);
    this.shutdown.on('flush', 'master key', () => clearInterval(timer));
  }
}
