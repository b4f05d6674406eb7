import { Global, Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Config, Health, Log, Shutdown } from '#libs/kernel';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { Database } from './database.js';
import { DirectClient } from './direct-client.js';
import { firstConnection } from './first-connection.js';
import { MIGRATIONS } from './migrations/index.js';
import { SqlLogger } from './sql-logger.js';
import { Worker } from './worker.js';

const POOL_SIZE = 16;
/**
 * Every statement of ours finds its rows through an index. A plan that is made while a table is still empty reads the
 * whole table instead, is kept for the life of the connection, and costs more with every mail; compiling it costs more
 * than running it.
 */
const PLANNER = ['jit', 'enable_seqscan', 'enable_hashjoin', 'enable_mergejoin']
  .map((name) => `-c ${name}=off`)
  .join(' ');

/** How every program reaches PostgreSQL; also used by the command line, which has no Nest application. */
export function dataSourceOptions(config: Config, log: Log): DataSourceOptions {
  return {
    type: 'postgres',
    url: config.settings.DATABASE_URL,
    entities: [],
    migrations: MIGRATIONS,
    migrationsTableName: 'schema_migrations',
    logger: new SqlLogger(log),
    applicationName: `postloft-${config.program}`,
    extra: {
      Client: DirectClient,
      max: POOL_SIZE,
      connectionTimeoutMillis: 2_000,
      options: PLANNER,
      statement_timeout: 30_000,
      idle_in_transaction_session_timeout: 30_000,
    },
    poolErrorHandler: (error: Error) => log.warn('database connection lost', { reason: error.message }),
  };
}

/** The database for every part of the process. Entities register themselves through `TypeOrmModule.forFeature`. */
@Global()
@Module({})
export class PersistenceModule {
  static forRoot(log: Log): DynamicModule {
    return {
      module: PersistenceModule,
      imports: [
        TypeOrmModule.forRootAsync({
          inject: [Config],
          useFactory: (config: Config) => ({
            ...dataSourceOptions(config, log),
            autoLoadEntities: true,
            // Nest's own attempts write to stderr, past our log.
            toRetry: () => false,
          }),
          dataSourceFactory: (options) => firstConnection(options as DataSourceOptions, log),
        }),
      ],
      providers: [
        Database,
        {
          provide: Worker,
          inject: [Database, Config, Shutdown],
          useFactory: (database: Database, config: Config, shutdown: Shutdown) =>
            new Worker(database, config, log, shutdown),
        },
      ],
      exports: [Database, Worker],
    };
  }

  constructor(dataSource: DataSource, health: Health, shutdown: Shutdown) {
    health.register('database', async () => {
      await dataSource.query('SELECT 1');
      return null;
    });
    shutdown.on('store', 'database', () => dataSource.destroy());
  }
}
