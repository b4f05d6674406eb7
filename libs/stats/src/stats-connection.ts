import { ClickHouseLogLevel, createClient, type ClickHouseClient, type ClickHouseSettings } from '@clickhouse/client';

/** An open way to the engine, of either kind. */
export interface StatsConnection {
  client: ClickHouseClient;
  /** Adds the rows in one insert. @throws with the engine's reason; they may be stored all the same. */
  insert(what: RowsToInsert): Promise<void>;
  /** Waits for what runs, then lets go. */
  close(): Promise<void>;
}

export interface RowsToInsert {
  table: string;
  columns: readonly string[];
  /** Each in the order of the columns. */
  rows: readonly unknown[][];
  /** Of this insert alone. */
  settings: ClickHouseSettings;
}

/** Of one query, and of the whole engine where it runs in our process. */
export const MEMORY_LIMIT_BYTES = 1024 ** 3;

const REQUEST_LIMIT_MS = 20_000;
const UNKNOWN_DATABASE = '81';

/** @throws when the server does not answer. `url` is `http(s)://user:password@host:port/database`. */
export async function openServer(url: string): Promise<StatsConnection> {
  const server = new URL(url);
  const database = decodeURIComponent(server.pathname.slice(1)) || 'default';
  server.pathname = '';
  const client = clientOf(server, database);
  try {
    await client.command({ query: 'SELECT 1' }).catch(async (error: { code?: string }) => {
      if (error.code !== UNKNOWN_DATABASE) throw error;
      await createDatabase(server, database);
    });
  } catch (error) {
    await client.close();
    throw error;
  }
  return { client, insert: (what) => insertAtServer(client, what), close: () => client.close() };
}

async function insertAtServer(client: ClickHouseClient, { table, columns, rows, settings }: RowsToInsert) {
  await client.insert({
    table,
    columns: [...columns] as [string, ...string[]],
    values: rows,
    format: 'JSONCompactEachRow',
    clickhouse_settings: settings,
  });
}

async function createDatabase(server: URL, name: string): Promise<void> {
  const client = clientOf(server, 'default');
  try {
    await client.command({ query: 'CREATE DATABASE IF NOT EXISTS {name:Identifier}', query_params: { name } });
  } finally {
    await client.close();
  }
}

function clientOf(url: URL, database: string): ClickHouseClient {
  return createClient({
    url,
    database,
    application: 'postloft',
    request_timeout: REQUEST_LIMIT_MS,
    // What fails is thrown, and told by whoever catches it.
    log: { level: ClickHouseLogLevel.OFF },
  });
}
