import { spawn } from 'node:child_process';
import { rename } from 'node:fs/promises';
import { createRequire } from 'node:module';
import {
  ClickHouseLogLevel,
  createClient,
  type ClickHouseClient,
  type ClickHouseClientConfigOptions,
} from '@clickhouse/client';
import type { Session } from 'chdb';
import { mapYielding, withTimeout, type Log } from '#libs/kernel';
import { MEMORY_LIMIT_BYTES, type InsertRequest, type StatsConnection } from './connection.js';

const CACHE_BYTES = 64 * 1024 * 1024;
const DATABASE = 'postloft';
const PROBE_TIMEOUT_MS = 20_000;
const DRAIN_TIMEOUT_MS = 3_000;

/** Reasons outside the store: a new store would not help, and the old one would be lost. */
const EXTERNAL_REASON = /Cannot lock file|Permission denied|No space left|Too many open files|MEMORY|bad_alloc/i;

/** The store can be opened, but some of its data is damaged. */
class DamagedStore extends Error {}

/**
 * ClickHouse in this process with its data in `path`. A store that cannot be opened is moved aside and replaced by a new
 * one, which is filled from the event log.
 * @throws if another process uses the store, or if it cannot be opened for an external reason
 */
export async function openEmbedded(path: string, log: Log): Promise<StatsConnection> {
  try {
    return await openStore(path);
  } catch (error) {
    const reason = error instanceof DamagedStore ? error.message : await openFailureReason(path);
    if (reason === '') return openStore(path);
    if (EXTERNAL_REASON.test(reason))
      throw new Error(`the statistics store ${path} cannot be opened: ${reason}`, { cause: error });
    const aside = `${path}.broken-${new Date().toISOString().replace(/[:.]/g, '-')}`;
    await rename(path, aside);
    log.error('the statistics store is damaged; moved it aside, it is rebuilt from the event log', error, {
      aside,
      reason,
    });
    return openStore(path);
  }
}

async function openStore(path: string): Promise<StatsConnection> {
  // Loaded on demand: the library takes 200 MiB, and programs that use a server do not need it.
  const { Session, drainPending } = await import('chdb');
  const { createChdbConnection } = await import('chdb/connection');
  // Limits of the engine can be set only by the first session of a path; the session of the client shares its engine.
  const engine = new Session(path, {
    connectionArgs: [`--max_server_memory_usage=${MEMORY_LIMIT_BYTES}`, `--mark_cache_size=${CACHE_BYTES}`],
  });
  // The package is compiled against an older version of the client's types; the client checks the shape at run time.
  const connection = createChdbConnection({ path }) as unknown as ClickHouseClientConfigOptions['connection'];
  const client = createClient({ connection, log: { level: ClickHouseLogLevel.OFF } });
  const close = async () => {
    await client.close();
    engine.close();
    await withTimeout(drainPending(), DRAIN_TIMEOUT_MS, () => undefined);
  };
  try {
    await prepareDatabase(client);
  } catch (error) {
    await close();
    throw error;
  }
  return { client, insert: (request) => insertRows(engine, request), close };
}

/** Bypasses the client, which would put the rows into the text of the statement: a third more processor time. */
async function insertRows(engine: Session, { table, columns, rows, settings }: InsertRequest): Promise<void> {
  const lines = await mapYielding(rows, (row) => JSON.stringify(row));
  await engine.insert({
    table: `${DATABASE}.${table}`,
    columns: [...columns],
    values: Buffer.from(lines.join('\n')),
    format: 'JSONCompactEachRow',
    settings: settings as Record<string, string | number>,
  });
}

async function prepareDatabase(client: ClickHouseClient): Promise<void> {
  // Tables of the engine's default database have no identity.
  await client.command({ query: `CREATE DATABASE IF NOT EXISTS ${DATABASE} ENGINE = Atomic` });
  await client.command({ query: `USE ${DATABASE}` });
  // The engine detaches unreadable parts and continues without their rows.
  const result = await client.query({
    query: `SELECT count() AS parts FROM system.detached_parts WHERE database = '${DATABASE}' AND reason LIKE 'broken%'`,
    format: 'JSONEachRow',
  });
  const [row] = await result.json<{ parts: number }>();
  if (Number(row.parts) > 0) throw new DamagedStore(`${row.parts} parts of its data cannot be read`);
}

/**
 * The engine reports its reason only on standard error, so a child process opens the store again and its output is read.
 * Empty if the store can be opened after all.
 */
async function openFailureReason(path: string): Promise<string> {
  const chdb = createRequire(import.meta.url).resolve('chdb');
  const script = `new (require(${JSON.stringify(chdb)}).Session)(process.argv[1]).close()`;
  const child = spawn(process.execPath, ['-e', script, path], {
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: PROBE_TIMEOUT_MS,
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  const code = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  if (code === 0) return '';
  return /^Code: .*/m.exec(output)?.[0] ?? `the engine ended with ${code ?? 'a signal'}`;
}
