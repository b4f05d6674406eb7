import type { ClickHouseClient } from '@clickhouse/client';
import { addSimulatedColumns, EVENTS, expiries, onCluster, tables, type TableOptions } from './schema/tables.js';

/** Tables of development versions. The consumer fills the new ones from the start of the event log. */
const DEVELOPMENT_TABLES = [
  ...['email_counts_feed', 'email_counts', 'email_events'],
  ...['mail_counts_feed', 'mail_counts', 'mail_events', 'stats_schema'],
  ...['message_counts_feed', 'message_counts', 'message_events', 'stats_progress', 'stats_versions'],
];

/**
 * One entry per version; each statement may run twice. A released entry is never changed; a new one is added. A table
 * whose meaning changes gets a new name: the store then has a new identity and is filled from the event log.
 */
const VERSIONS: readonly ((options: TableOptions, definitions: ReadonlyMap<string, string>) => string[])[] = [
  (options) => [
    ...DEVELOPMENT_TABLES.map((table) => `DROP TABLE IF EXISTS ${table}${onCluster(options)}`),
    ...tables(options),
  ],
  addSimulatedColumns,
];

export interface PreparedSchema {
  /** The identity of the store, which changes exactly when its events are lost with their table. */
  identity: string;
  /** Tables that a store which had been prepared before did not have any more. */
  missing: string[];
}

/**
 * Creates or upgrades the tables; any number of programs may do so at once. Tables that are missing are created again.
 * @param kept ids of tables whose files exist, by name: such a table gets its rows back
 * @throws when the store was made by a newer version.
 */
export async function prepareSchema(
  client: ClickHouseClient,
  options: TableOptions,
  kept: ReadonlyMap<string, string> = new Map(),
): Promise<PreparedSchema> {
  const before = await tableNames(client);
  const create = (query: string) => client.command({ query: attached(query, before, kept) });
  await create(
    `CREATE TABLE IF NOT EXISTS stats_layouts${onCluster(options)} (version UInt32, applied_at DateTime('UTC') DEFAULT now('UTC'))
            ENGINE = ${options.cluster === undefined ? '' : 'Replicated'}MergeTree ORDER BY version`,
  );
  const applied = await appliedVersion(client);
  if (applied > VERSIONS.length)
    throw new Error(
      `the statistics store was made by a newer version (schema ${applied}) that this version cannot use`,
    );
  for (let version = applied + 1; version <= VERSIONS.length; version++) {
    for (const query of VERSIONS[version - 1](options, await definitions(client))) await create(query);
    await client.insert({ table: 'stats_layouts', values: [{ version }], format: 'JSONEachRow' });
  }
  for (const query of tables(options)) if (!before.has(nameIn(query))) await create(query);
  await setExpiries(client, options);
  const names = tables(options).map(nameIn);
  const wasPrepared = applied > 0 || kept.size > 0 || names.some((name) => before.has(name));
  return {
    identity: await identityOf(client),
    missing: wasPrepared ? names.filter((name) => !before.has(name)) : [],
  };
}

const nameIn = (query: string): string =>
  /^CREATE (?:TABLE|MATERIALIZED VIEW) IF NOT EXISTS (\w+)/.exec(query)?.[1] ?? '';

/** The definition of a table that was lost, whose files are not. */
function attached(query: string, before: ReadonlySet<string>, kept: ReadonlyMap<string, string>): string {
  const name = nameIn(query);
  const id = before.has(name) || !query.startsWith('CREATE TABLE') ? undefined : kept.get(name);
  return id === undefined
    ? query
    : query.replace(/^CREATE TABLE IF NOT EXISTS \w+/, `ATTACH TABLE ${name} UUID '${id}'`);
}

async function tableNames(client: ClickHouseClient): Promise<Set<string>> {
  const result = await client.query({
    query: 'SELECT name FROM system.tables WHERE database = currentDatabase()',
    format: 'JSONEachRow',
  });
  return new Set((await result.json<{ name: string }>()).map(({ name }) => name));
}

/** The periods are settings, which may have changed since the tables were made. */
async function setExpiries(client: ClickHouseClient, options: TableOptions): Promise<void> {
  const texts = await definitions(client);
  for (const [table, expiry] of Object.entries(expiries(options))) {
    if (texts.get(table)?.includes(expiry.slice(expiry.indexOf('toIntervalDay')))) continue;
    await client.command({
      query: `ALTER TABLE ${table}${onCluster(options)} MODIFY TTL ${expiry}`,
      // The new period applies when parts are merged; old parts are not rewritten now.
      clickhouse_settings: { materialize_ttl_after_modify: 0 },
    });
  }
}

/** The statements that create the tables and views as they are, by name. */
async function definitions(client: ClickHouseClient): Promise<Map<string, string>> {
  const result = await client.query({
    query: `SELECT name, create_table_query AS text FROM system.tables WHERE database = currentDatabase()`,
    format: 'JSONEachRow',
  });
  return new Map((await result.json<{ name: string; text: string }>()).map(({ name, text }) => [name, text]));
}

async function appliedVersion(client: ClickHouseClient): Promise<number> {
  const result = await client.query({
    query: 'SELECT max(version) AS version FROM stats_layouts',
    format: 'JSONEachRow',
  });
  const [row] = await result.json<{ version: number }>();
  return Number(row.version);
}

async function identityOf(client: ClickHouseClient): Promise<string> {
  const result = await client.query({
    query: `SELECT toString(uuid) AS identity FROM system.tables
             WHERE database = currentDatabase() AND name = '${EVENTS}'`,
    format: 'JSONEachRow',
  });
  const [row] = await result.json<{ identity: string }>();
  return row.identity;
}
