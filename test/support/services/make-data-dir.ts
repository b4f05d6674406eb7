import 'reflect-metadata';
import { loadConfig, Log } from '#libs/kernel';
import { migrate } from '#libs/persistence';
import { StatsStore } from '#libs/stats';
import { DataSource } from 'typeorm';
import { EmbeddedPostgres } from '../../../libs/persistence/src/embedded-postgres/index.js';
import { dataSourceOptions } from '../../../libs/persistence/src/persistence.module.js';

/** Program for `prepared-data-dir.ts`: makes the database and the statistics store of the data directory in its argument. */
const dataDir = process.argv[2];
await makeDatabase();
await makeStatisticsStore();
process.exit(0);

async function makeDatabase(): Promise<void> {
  const server = await EmbeddedPostgres.start({ dataDir, log: () => undefined });
  const config = loadConfig('delivery', {
    DATABASE_URL: server.url,
    CLICKHOUSE_URL: 'http://127.0.0.1:1',
    MASTER_KEY: Buffer.alloc(32).toString('base64'), // of this process only; nothing is sealed with it
  });
  const dataSource = await new DataSource(dataSourceOptions(config, Log.quiet())).initialize();
  await migrate(dataSource);
  await dataSource.destroy();
  await server.stop();
}

async function makeStatisticsStore(): Promise<void> {
  const store = new StatsStore(loadConfig('standalone', { DATA_DIR: dataDir }), Log.quiet());
  await store.ready();
  await store.close();
}
