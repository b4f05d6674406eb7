import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { PoolClient } from 'pg';
import type { Database, Queryable } from '../connection/database.js';
import { KNOWN_MIGRATIONS } from '../migrate.js';
import { createLike } from '../partitions/create-partition.js';
import { PARTITIONED_TABLES, type PartitionedTable } from '../partitions/partitioned-tables.js';
import { copyIn } from './copy-streams.js';
import { quoted, type DatabaseDump } from './dump-database.js';
import { ownTables } from './own-tables.js';

const expand = promisify(gunzip);
/** As much as is sent at once. */
const CHUNK_BYTES = 256 * 1024;

export interface LoadOptions {
  /** The bytes of a file of the dump. */
  get: (name: string) => Promise<Buffer>;
  onProgress: (table: string, done: number, of: number) => void;
}

/** Null: this version has every migration of the dump. */
export function unknownSchema({ schema }: Pick<DatabaseDump, 'schema'>): string | null {
  return schema.find((name) => !KNOWN_MIGRATIONS.includes(name)) ?? null;
}

/** The first table of the service that has rows of accounts or emails; null: a restore destroys nothing. */
export async function occupiedBy(db: Queryable): Promise<string | null> {
  const present = new Set((await ownTables(db)).map(({ name }) => name));
  for (const name of ['accounts', 'emails', 'users'].filter((table) => present.has(table))) {
    const { rows } = await db.query<{ found: boolean }>(`SELECT EXISTS (SELECT FROM ${quoted(name)}) AS found`);
    if (rows[0].found) return name;
  }
  return null;
}

/**
 * Replaces the rows of a database that has the schema of the dump, in one transaction: after an error it is as before.
 * @param afterwards runs in the same transaction
 */
export async function loadDatabase(
  database: Database,
  dump: DatabaseDump,
  { get, onProgress, afterwards }: LoadOptions & { afterwards: (tx: Queryable) => Promise<void> },
): Promise<void> {
  const session = await database.session();
  try {
    await session.query('BEGIN');
    await session.query('SET LOCAL statement_timeout = 0');
    await session.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    const names = (await ownTables(session)).map(({ name }) => quoted(name));
    await session.query(`TRUNCATE ${names.join(', ')}`);
    for (const partition of dump.partitions) await createPartition(session, partition);
    const of = dump.tables.reduce((sum, { rows }) => sum + rows, 0);
    let done = 0;
    for (const table of dump.tables) {
      onProgress(table.name, done, of);
      await loadTable(session.client, table, get);
      done += table.rows;
    }
    onProgress('', done, of);
    for (const [name, value] of Object.entries(dump.sequences))
      await session.query('SELECT setval($1::regclass, $2::bigint)', [quoted(name), value]);
    await afterwards(session);
    await session.query('COMMIT');
  } catch (error) {
    await session.query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    session.release();
  }
}

async function loadTable(
  client: PoolClient,
  { name, columns, rows, files }: DatabaseDump['tables'][number],
  get: LoadOptions['get'],
): Promise<void> {
  if (rows === 0) return;
  async function* chunks(): AsyncGenerator<Buffer> {
    for (const file of files) {
      const bytes = await expand(await get(file.name));
      for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
    }
  }
  const list = columns.map(quoted).join(', ');
  await copyIn(client, `COPY ${quoted(name)} (${list}) FROM STDIN (FORMAT binary)`, chunks());
}

/** A new database has the partitions of its first days; their bounds are always those of a day. */
async function createPartition(
  tx: Queryable,
  { table, name, bounds }: DatabaseDump['partitions'][number],
): Promise<void> {
  const partitioned = (PARTITIONED_TABLES as Record<string, PartitionedTable | undefined>)[table];
  const { rows } = await tx.query<{ exists: boolean }>('SELECT to_regclass($1) IS NOT NULL AS exists', [quoted(name)]);
  if (rows[0].exists || partitioned === undefined || !BOUNDS.test(bounds)) return;
  await createLike(tx, partitioned, quoted(name));
  await tx.query(`ALTER TABLE ${quoted(table)} ATTACH PARTITION ${quoted(name)} ${bounds}`);
}

/** As `pg_get_expr` writes the bounds of a day; others are not executed. */
const BOUNDS = /^FOR VALUES FROM \('[\w.:+ -]{1,64}'\) TO \('[\w.:+ -]{1,64}'\)$/;
