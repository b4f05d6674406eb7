import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import {
  ClickHouseLogLevel,
  createClient,
  type ClickHouseClient,
  type ClickHouseClientConfigOptions,
} from '@clickhouse/client';
import type { Session } from 'chdb';
import { ConfigError, withTimeout, type Log, yielding } from '#libs/kernel';
import { MEMORY_LIMIT_BYTES, type InsertRequest, type StatsConnection } from './connection.js';
import { AsideFolder, culpritIn, tableIds, type SetAside } from './integrity/set-aside.js';

const CACHE_BYTES = 64 * 1024 * 1024;
const DATABASE = 'postloft';
const PROBE_TIMEOUT_MS = 20_000;
const DRAIN_TIMEOUT_MS = 3_000;

/** Reasons outside the store: a new store would not help, and the old one would be lost. */
const EXTERNAL_REASON = /Cannot lock file|Permission denied|No space left|Too many open files|MEMORY|bad_alloc/i;

/** Files that may be set aside one after the other until the store can be opened. */
const MAX_CULPRITS = 50;

export interface EmbeddedConnection extends StatsConnection {
  /** Damaged files that were moved out of the store when it was opened; null if there were none. */
  setAside: SetAside | null;
  /** The ids of tables whose files exist, by name. */
  tableIds: ReadonlyMap<string, string>;
}

/**
 * ClickHouse in this process with its data in `path`. What keeps the store from being opened is set aside: a definition, the
 * files of a table, or the whole store if the engine does not name a file. So are parts that the engine cannot read.
 * @throws if another process uses the store, or if it cannot be opened for an external reason
 */
export async function openEmbedded(path: string, log: Log): Promise<EmbeddedConnection> {
  // Otherwise the store would be taken for the culprit.
  requireEmbeddedEngine();
  const aside = new AsideFolder(path);
  const ids = await tableIds(path, DATABASE);
  const connection = await openWithout(aside, log);
  try {
    for (const part of await brokenParts(connection.client)) await aside.move(part.path, `${part.table}/${part.name}`);
  } catch (error) {
    await connection.close();
    throw error;
  }
  const setAside = aside.names.length > 0 ? aside : null;
  if (setAside !== null)
    log.error('damaged files of the statistics store were set aside', undefined, {
      aside: aside.folder,
      names: aside.names,
    });
  const kept = new Map([...ids].filter(([name]) => !aside.names.includes(name) && !aside.names.includes('store')));
  return { ...connection, setAside, tableIds: kept };
}

/**
 * Loads the engine, which npm installs where there is one for the platform.
 * @throws ConfigError with one sentence for the operator
 */
export function requireEmbeddedEngine(): void {
  try {
    createRequire(import.meta.url)('chdb');
  } catch (error) {
    throw new ConfigError(
      `No embedded ClickHouse is installed for ${process.platform} ${process.arch}. ` +
        'Set CLICKHOUSE_URL to a ClickHouse server instead.',
      { cause: error },
    );
  }
}

async function openWithout(aside: AsideFolder, log: Log): Promise<StatsConnection> {
  for (let moved = 0; ; moved++) {
    try {
      return await openStore(aside.store);
    } catch (error) {
      const reason = await openFailureReason(aside.store);
      if (reason === '') return openStore(aside.store);
      if (EXTERNAL_REASON.test(reason))
        throw new Error(`the statistics store ${aside.store} cannot be opened: ${reason}`, { cause: error });
      const culprit = moved < MAX_CULPRITS ? await culpritIn(reason, { store: aside.store, database: DATABASE }) : null;
      log.warn('the statistics store cannot be opened', { reason, culprit: culprit?.name ?? 'store' });
      await aside.move(culprit?.path ?? aside.store, culprit?.name ?? 'store');
    }
  }
}

interface DetachedPart {
  table: string;
  name: string;
  path: string;
}

/** The engine detaches unreadable parts when it opens a store, and continues without their rows. Others were detached by a check. */
async function brokenParts(client: ClickHouseClient): Promise<DetachedPart[]> {
  const result = await client.query({
    query: `SELECT table, name, path FROM system.detached_parts WHERE database = '${DATABASE}'`,
    format: 'JSONEachRow',
  });
  return result.json<DetachedPart>();
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
  const lines = await yielding.map(rows, (row) => JSON.stringify(row));
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
