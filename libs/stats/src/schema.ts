import type { ClickHouseClient } from '@clickhouse/client';

/**
 * - The deduplication window is off by default for tables that are not replicated.
 * - An insert is flushed to disk before it is confirmed (about 2 ms): the position in the event log advances after it, so
 *   a power failure must not lose it.
 */
const DURABLE = 'non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1';

/** Tables of development versions. The consumer fills the new ones from the start of the event log. */
const DEVELOPMENT_TABLES = [
  ...['email_counts_feed', 'email_counts', 'email_events'],
  ...['mail_counts_feed', 'mail_counts', 'mail_events', 'stats_schema'],
];

/**
 * One entry per version; each statement may run twice. A released entry is never changed; a new one is added. A table
 * whose meaning changes gets a new name: the store then has a new identity and is filled from the event log.
 */
const VERSIONS: readonly (readonly string[])[] = [
  [
    ...DEVELOPMENT_TABLES.map((table) => `DROP TABLE IF EXISTS ${table}`),
    // The index on position skips older data, whose positions are smaller, when the positions of a batch are looked up.
    `CREATE TABLE IF NOT EXISTS message_events (
       event_id String,
       position UInt64,
       account_id String,
       domain_id String,
       email_id String,
       type LowCardinality(String),
       recipient String,
       provider LowCardinality(String),
       tags Map(LowCardinality(String), String),
       ip LowCardinality(String),
       failure_type LowCardinality(String),
       bounce_type LowCardinality(String),
       bounce_class LowCardinality(String),
       is_bot UInt8,
       attempt UInt16,
       latency_ms UInt64,
       counter LowCardinality(String),
       at DateTime64(3, 'UTC'),
       batch String CODEC(ZSTD),
       INDEX by_position position TYPE minmax GRANULARITY 1,
       INDEX by_email email_id TYPE bloom_filter GRANULARITY 4)
     ENGINE = MergeTree PARTITION BY toYYYYMM(at) ORDER BY (account_id, domain_id, at, event_id)
     SETTINGS ${DURABLE}`,
    `CREATE TABLE IF NOT EXISTS message_counts (
       account_id String,
       domain_id String,
       minute DateTime('UTC'),
       counter LowCardinality(String),
       bounce_type LowCardinality(String),
       recipients UInt64)
     ENGINE = SummingMergeTree(recipients) PARTITION BY toYYYYMM(minute)
     ORDER BY (account_id, domain_id, minute, counter, bounce_type)
     SETTINGS ${DURABLE}`,
    `CREATE MATERIALIZED VIEW IF NOT EXISTS message_counts_feed TO message_counts AS
     SELECT account_id, domain_id, toStartOfMinute(at) AS minute, counter, bounce_type, count() AS recipients
       FROM message_events WHERE counter != '' GROUP BY account_id, domain_id, minute, counter, bounce_type`,
  ],
  [
    // In the store itself: a store that is restored from a backup knows how far its events reach.
    `CREATE TABLE IF NOT EXISTS stats_progress (single UInt8 DEFAULT 1, complete_up_to SimpleAggregateFunction(max, UInt64))
     ENGINE = AggregatingMergeTree ORDER BY single
     SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`,
  ],
];

/**
 * Creates or upgrades the tables; any number of programs may do so at once.
 * @returns the identity of the store, which changes exactly when its events are lost.
 * @throws when the store was made by a newer version.
 */
export async function prepareSchema(client: ClickHouseClient): Promise<string> {
  await client.command({
    query: `CREATE TABLE IF NOT EXISTS stats_versions (version UInt32, applied_at DateTime('UTC') DEFAULT now('UTC'))
            ENGINE = MergeTree ORDER BY version`,
  });
  const applied = await appliedVersion(client);
  if (applied > VERSIONS.length)
    throw new Error(
      `the statistics store was made by a newer version (schema ${applied}) that this version cannot use`,
    );
  for (let version = applied + 1; version <= VERSIONS.length; version++) {
    for (const query of VERSIONS[version - 1]) await client.command({ query });
    await client.insert({ table: 'stats_versions', values: [{ version }], format: 'JSONEachRow' });
  }
  return identityOf(client);
}

async function appliedVersion(client: ClickHouseClient): Promise<number> {
  const result = await client.query({
    query: 'SELECT max(version) AS version FROM stats_versions',
    format: 'JSONEachRow',
  });
  const [row] = await result.json<{ version: number }>();
  return Number(row.version);
}

async function identityOf(client: ClickHouseClient): Promise<string> {
  const result = await client.query({
    query: `SELECT toString(uuid) AS identity FROM system.tables
             WHERE database = currentDatabase() AND name = 'message_events'`,
    format: 'JSONEachRow',
  });
  const [row] = await result.json<{ identity: string }>();
  return row.identity;
}
