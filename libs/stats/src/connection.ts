import { ClickHouseLogLevel, createClient, type ClickHouseClient, type ClickHouseSettings } from '@clickhouse/client';

/** An open connection to ClickHouse, on a server or in this process. */
export interface StatsConnection {
  client: ClickHouseClient;
  /** Adds the rows in one insert. @throws the error of the engine; the rows may be stored all the same */
  insert(request: InsertRequest): Promise<void>;
  /** Waits for running requests. */
  close(): Promise<void>;
}

export interface InsertRequest {
  table: string;
  columns: readonly string[];
  /** Values in the order of the columns. */
  rows: readonly unknown[][];
  /** For this insert only. */
  settings: ClickHouseSettings;
}

/** Of one query, and of the whole engine if it runs in this process. */
export const MEMORY_LIMIT_BYTES = 1024 ** 3;

const REQUEST_TIMEOUT_MS = 20_000;
const UNKNOWN_DATABASE = '81';

/** `url`: `http(s)://user:password@host:port/database`. @throws if the server does not respond */
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
  return { client, insert: (request) => insertAtServer(client, request), close: () => client.close() };
}

async function insertAtServer(client: ClickHouseClient, { table, columns, rows, settings }: InsertRequest) {
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
    request_timeout: REQUEST_TIMEOUT_MS,
    // Errors are thrown, and logged where they are caught.
    log: { level: ClickHouseLogLevel.OFF },
  });
}

const VERSION_TIMEOUT_MS = 5_000;

/** A statistics engine; `problem` is why it does not answer, null if it does. */
export interface EngineState {
  version: string | null;
  problem: string | null;
}

/** The state of an engine whose version `read` determines. */
export async function engineState(read: () => Promise<string | null>): Promise<EngineState> {
  try {
    return { version: await read(), problem: null };
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    const reason = (message || code) ?? 'no answer';
    return { version: null, problem: reason.split('\n', 1)[0].replace(/\.$/, '') };
  }
}

/** The state of the server at `url` (CLICKHOUSE_URL). */
export const statsServerState = (url: string): Promise<EngineState> => engineState(() => serverVersion(url));

async function serverVersion(url: string): Promise<string> {
  const server = new URL(url);
  // The database may not exist yet: the service creates it.
  server.pathname = '';
  const log = { level: ClickHouseLogLevel.OFF };
  const client = createClient({ url: server, application: 'postloft', request_timeout: VERSION_TIMEOUT_MS, log });
  try {
    const result = await client.query({ query: 'SELECT version() AS version', format: 'JSONEachRow' });
    return (await result.json<{ version: string }>())[0].version;
  } finally {
    await client.close();
  }
}
