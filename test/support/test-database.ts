import type { Config } from '#libs/kernel';
import { Log } from '#libs/kernel';
import { Database, dataSourceOptions } from '#libs/persistence';
import { DataSource, type EntityTarget, type ObjectLiteral } from 'typeorm';
import { freshDatabase, testConfig } from './database.js';

/** A migrated database of its own, with an open pool; `entities` are those of the lib under test. */
export interface OpenTestDatabase {
  url: string;
  config: Config;
  database: Database;
  dataSource: DataSource;
  close(): Promise<void>;
}

type EntityClass = EntityTarget<ObjectLiteral> & (new () => object);

/** On the server of `TEST_DATABASE_URL`. */
export async function createTestDatabase(entities: EntityClass[] = []): Promise<OpenTestDatabase> {
  const server = process.env['TEST_DATABASE_URL'];
  if (server === undefined) throw new Error('TEST_DATABASE_URL must name a PostgreSQL server for the medium tests');
  const { url, drop } = await freshDatabase(server);
  const config = testConfig(url);
  const dataSource = await new DataSource({ ...dataSourceOptions(config, Log.quiet()), entities }).initialize();
  return {
    url,
    config,
    database: new Database(dataSource),
    dataSource,
    close: async () => {
      await dataSource.destroy();
      await drop();
    },
  };
}
