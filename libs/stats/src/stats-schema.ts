import type { ClickHouseClient } from '@clickhouse/client';

/**
 * - The deduplication window is off by default for tables that are not replicated.
 * - An insert is flushed to disk before it is confirmed: the log's position moves on after it, so a power cut must not
 *   take it back (about 2 ms per insert).
 */
const DURABLE = 'non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1';

/**
 * One entry per version; each statement may run twice. A released entry is never changed, a new one is added. Tables
 * whose meaning changes get new names: the new store then has another identity and is filled from the event log.
 */
const VERSIONS: readonly (readonly string[])[] = [
  // The tables of version 1 are those that version 2 removes.
  [],
  [
    'DROP TABLE IF EXISTS email_counts_feed',
    'DROP TABLE IF EXISTS email_counts',
    'DROP TABLE IF EXISTS email_events',
    // The index on position keeps the look-up of a batch's positions away from older data, which has smaller ones.
    `CREATE TABLE IF NOT EXISTS mail_events (
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
    `CREATE TABLE IF NOT EXISTS mail_counts (
       account_id String,
       domain_id String,
       minute DateTime('UTC'),
       counter LowCardinality(String),
       bounce_type LowCardinality(String),
       recipients UInt64)
     ENGINE = SummingMergeTree(recipients) PARTITION BY toYYYYMM(minute)
     ORDER BY (account_id, domain_id, minute, counter, bounce_type)
     SETTINGS ${DURABLE}`,
    `CREATE MATERIALIZED VIEW IF NOT EXISTS mail_counts_feed TO mail_counts AS
     SELECT account_id, domain_id, toStartOfMinute(at) AS minute, counter, bounce_type, count() AS recipients
       FROM mail_events WHERE counter != '' GROUP BY account_id, domain_id, minute, counter, bounce_type`,
  ],
];

/**
 * Creates or upgrades the tables; any number of programs may do so at once.
 * @returns the identity of the store: it stays while the events stay and is another one once they were lost.
 * @throws when the store was made by a newer version of this program.
 */
export async function prepareSchema(client: ClickHouseClient): Promise<string> {
  await client.command({
    query: `CREATE TABLE IF NOT EXISTS stats_schema (version UInt32, applied_at DateTime('UTC') DEFAULT now('UTC'))
            ENGINE = MergeTree ORDER BY version`,
  });
  const applied = await appliedVersion(client);
  if (applied > VERSIONS.length)
    throw new Error(`the statistics store has version ${applied}, this program knows ${VERSIONS.length}`);
  for (let version = applied + 1; version <= VERSIONS.length; version++) {
    for (const query of VERSIONS[version - 1]) await client.command({ query });
    await client.insert({ table: 'stats_schema', values: [{ version }], format: 'JSONEachRow' });
  }
  return identityOf(client);
}

async function appliedVersion(client: ClickHouseClient): Promise<number> {
  const result = await client.query({
    query: 'SELECT max(version) AS version FROM stats_schema',
    format: 'JSONEachRow',
  });
  const [row] = await result.json<{ version: number }>();
  return Number(row.version);
}

async function identityOf(client: ClickHouseClient): Promise<string> {
  const result = await client.query({
    query: `SELECT toString(uuid) AS identity FROM system.tables
             WHERE database = currentDatabase() AND name = 'mail_events'`,
    format: 'JSONEachRow',
  });
  const [row] = await result.json<{ identity: string }>();
  return row.identity;
}
