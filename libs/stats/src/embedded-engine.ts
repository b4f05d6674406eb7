import { spawn } from 'node:child_process';
import { rename } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import {
  ClickHouseLogLevel,
  createClient,
  type ClickHouseClient,
  type ClickHouseClientConfigOptions,
} from '@clickhouse/client';
import type { Session } from 'chdb';
import { inTurns, type Log } from '#libs/kernel';
import { MEMORY_LIMIT_BYTES, type RowsToInsert, type StatsConnection } from './stats-connection.js';

const CACHE_BYTES = 64 * 1024 * 1024;
const DATABASE = 'postloft';
const PROBE_LIMIT_MS = 20_000;
const DRAIN_LIMIT_MS = 3_000;

/** Reasons that lie outside the store: moving it aside would help nothing and lose it. */
const NOT_THE_STORE = /Cannot lock file|Permission denied|No space left|Too many open files|MEMORY|bad_alloc/i;

/** The files of the store can be read but some of their data is damaged. */
class DamagedStore extends Error {}

/**
 * ClickHouse inside this process, its data in `path`. A store that cannot be opened is moved aside and a new one begun;
 * the event log fills it again.
 * @throws when the store is in use by another process, or cannot be opened for a reason that is not its own.
 */
export async function openEmbedded(path: string, log: Log): Promise<StatsConnection> {
  try {
    return await openStore(path);
  } catch (error) {
    const reason = error instanceof DamagedStore ? error.message : await whyUnopened(path);
    if (reason === '') return openStore(path);
    if (NOT_THE_STORE.test(reason))
      throw new Error(`the statistics store ${path} cannot be opened: ${reason}`, { cause: error });
    const aside = `${path}.broken-${new Date().toISOString().replace(/[:.]/g, '-')}`;
    await rename(path, aside);
    log.error('the statistics store was broken: moved it aside, it is rebuilt from the event log', error, {
      aside,
      reason,
    });
    return openStore(path);
  }
}

async function openStore(path: string): Promise<StatsConnection> {
  // Loaded on demand: the library takes 200 MiB, and a program that talks to a server does not need it.
  const { Session, drainPending } = await import('chdb');
  const { createChdbConnection } = await import('chdb/connection');
  // Limits of the engine can only be given to the first session of a path; the client's session shares its engine.
  const engine = new Session(path, {
    connectionArgs: [`--max_server_memory_usage=${MEMORY_LIMIT_BYTES}`, `--mark_cache_size=${CACHE_BYTES}`],
  });
  // The engine's package compiles against an older copy of the client's types; the client checks the shape at run time.
  const connection = createChdbConnection({ path }) as unknown as ClickHouseClientConfigOptions['connection'];
  const client = createClient({ connection, log: { level: ClickHouseLogLevel.OFF } });
  const close = async () => {
    await client.close();
    engine.close();
    await Promise.race([drainPending(), pause(DRAIN_LIMIT_MS, undefined, { ref: false })]);
  };
  try {
    await prepareDatabase(client);
  } catch (error) {
    await close();
    throw error;
  }
  return { client, insert: (what) => insertInto(engine, what), close };
}

/** Past the client, which makes the rows a part of the statement's text: that takes a third more processor time. */
async function insertInto(engine: Session, { table, columns, rows, settings }: RowsToInsert): Promise<void> {
  const lines = await inTurns(rows, (row) => JSON.stringify(row));
  await engine.insert({
    table: `${DATABASE}.${table}`,
    columns: [...columns],
    values: Buffer.from(lines.join('\n')),
    format: 'JSONCompactEachRow',
    settings: settings as Record<string, string | number>,
  });
}

async function prepareDatabase(client: ClickHouseClient): Promise<void> {
  // The default database of the engine gives tables no identity.
  await client.command({ query: `CREATE DATABASE IF NOT EXISTS ${DATABASE} ENGINE = Atomic` });
  await client.command({ query: `USE ${DATABASE}` });
  // Unreadable parts do not stop the engine: it sets them aside and goes on without their rows.
  const result = await client.query({
    query: `SELECT count() AS parts FROM system.detached_parts WHERE database = '${DATABASE}' AND reason LIKE 'broken%'`,
    format: 'JSONEachRow',
  });
  const [row] = await result.json<{ parts: number }>();
  if (Number(row.parts) > 0) throw new DamagedStore(`${row.parts} parts of its data cannot be read`);
}

/**
 * The engine names its reason on the standard error output only, so a child process opens the store once more and we
 * read what it says. Empty when the store opens after all.
 */
async function whyUnopened(path: string): Promise<string> {
  const chdb = createRequire(import.meta.url).resolve('chdb');
  const script = `new (require(${JSON.stringify(chdb)}).Session)(process.argv[1]).close()`;
  const child = spawn(process.execPath, ['-e', script, path], {
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: PROBE_LIMIT_MS,
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
  const code = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  if (code === 0) return '';
  return /^Code: .*/m.exec(said)?.[0] ?? `the engine ended with ${code ?? 'a signal'}`;
}
