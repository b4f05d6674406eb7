import type { Config } from '#libs/kernel';
import { Log } from '#libs/kernel';
import { Database } from '#libs/persistence';
import { DataSource, type EntitySchema } from 'typeorm';
import { freshDatabase, testConfig } from './database.js';
import { dataSourceOptions } from '../../../libs/persistence/src/persistence.module.js';

/** A migrated database of its own, with an open pool; `entities` are those of the lib under test. */
export interface OpenTestDatabase {
  url: string;
  config: Config;
  database: Database;
  dataSource: DataSource;
  close(): Promise<void>;
}

/** On the server of `TEST_DATABASE_URL`; `connections` is the most that the pool opens. */
export async function createTestDatabase(
  entities: (EntitySchema | (new () => object))[] = [],
  connections = 16,
): Promise<OpenTestDatabase> {
  const server = process.env['TEST_DATABASE_URL'];
  if (server === undefined) throw new Error('TEST_DATABASE_URL must name a PostgreSQL server for the service tests');
  const { url, drop } = await freshDatabase(server);
  const config = testConfig(url);
  const options = dataSourceOptions(config, Log.quiet());
  const extra = { ...(options.extra as object), max: connections };
  const dataSource = await new DataSource({ ...options, entities, extra }).initialize();
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

const EVENT_COLUMNS = 'event_id, key, sequence, account_id, domain_id, api_key_id, type, test, created_at, data';

/** For a FROM clause: the events in the outbox, a row for each. */
export const OUTBOX_EVENTS = `(
  SELECT outbox.id, event.* FROM outbox, unnest(${EVENT_COLUMNS}) AS event (${EVENT_COLUMNS})) AS outbox_events`;

/** The same of the event log. */
export const LOG_EVENTS = `(
  SELECT batch.first_position + event.subscript - 1 AS position, event.*
    FROM event_log AS batch,
         unnest(${EVENT_COLUMNS.replaceAll(/\w+/g, 'batch.$&')}) WITH ORDINALITY AS event (${EVENT_COLUMNS}, subscript)) AS log_events`;
