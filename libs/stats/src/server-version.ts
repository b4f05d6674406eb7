import { ClickHouseLogLevel, createClient } from '@clickhouse/client';

const LIMIT_MS = 5_000;

/** The version of the server at `url` (as CLICKHOUSE_URL), which is asked as its user. @throws when it does not answer */
export async function statsServerVersion(url: string): Promise<string> {
  const server = new URL(url);
  // The database may not be there yet: the service makes it.
  server.pathname = '';
  const log = { level: ClickHouseLogLevel.OFF };
  const client = createClient({ url: server, application: 'postloft', request_timeout: LIMIT_MS, log });
  try {
    const answer = await client.query({ query: 'SELECT version() AS version', format: 'JSONEachRow' });
    return (await answer.json<{ version: string }>())[0].version;
  } finally {
    await client.close();
  }
}
