import { Database } from './connection/database.js';
import { KNOWN_MIGRATIONS, schemaProblem } from './migrate.js';
import { MIGRATIONS_TABLE } from './migrations/index.js';
import { readServer, serverProblem } from './program/server-requirements.js';
import { WORKER_DEAD_AFTER_S } from './worker.js';

/** State of the server for the operator. */
export interface DatabaseInfo {
  /** `server_version_num`: 160004 is 16.4. */
  version: number;
  fsync: string;
  fullPageWrites: string;
  synchronousCommit: string;
  /** Why this version cannot work on the server; null: it can. */
  serverProblem: string | null;
  /** Whether lower() knows letters outside ASCII; not in a database with the locale C. */
  foldsCase: boolean;
  connections: { used: number; allowed: number };
  /** The size of the database in bytes, and what of it the event log and the contents of messages occupy. */
  bytes: number;
  eventLogBytes: number;
  contentBytes: number;
  /** Milliseconds by which its clock is ahead, within ± half of `clockUncertaintyMs`. */
  clockAheadMs: number;
  clockUncertaintyMs: number;
  /** Migrations of this version that are not applied yet. */
  pendingMigrations: string[];
  /** Why this version cannot use the schema, and what to do; null: it can. */
  schemaProblem: { message: string; fix: string } | null;
  /** Programs with a heartbeat, newest first. */
  workers: { program: string; isAlive: boolean; silentSeconds: number }[];
}

interface ServerRow extends Omit<
  DatabaseInfo,
  'serverProblem' | 'connections' | 'pendingMigrations' | 'schemaProblem' | 'workers'
> {
  used: number;
  allowed: number;
  now: number;
}

/** The size of a table, of its partitions and of their indexes. */
const sizeOf = (...tables: string[]): string => `
  (SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::float8 FROM pg_class
    WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) AND relkind = 'r'
      AND relname ~ '^(${tables.join('|')})(_default|_[0-9]{8}|_accounts.*)?$')`;
const SERVER = `
  SELECT current_setting('server_version_num')::int AS version, current_setting('fsync') AS fsync,
         current_setting('full_page_writes') AS "fullPageWrites",
         current_setting('synchronous_commit') AS "synchronousCommit",
         lower('Ü') = 'ü' AS "foldsCase", pg_database_size(current_database())::float8 AS bytes,
         ${sizeOf('event_log', 'outbox')} AS "eventLogBytes", ${sizeOf('email_contents', 'captured_messages')} AS "contentBytes",
         (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS used,
         current_setting('max_connections')::int AS allowed, extract(epoch FROM clock_timestamp())::float * 1000 AS now`;
const WORKERS = `
  SELECT program, extract(epoch FROM now() - heartbeat_at)::float AS "silentSeconds",
         heartbeat_at > now() - make_interval(secs => $1) AS "isAlive"
    FROM workers ORDER BY heartbeat_at DESC LIMIT 100`;
const UNDEFINED_TABLE = '42P01';

/** @throws when the server does not respond */
export async function databaseInfo(database: Database): Promise<DatabaseInfo> {
  const sentAt = Date.now();
  const { rows } = await database.query<ServerRow>(SERVER);
  const receivedAt = Date.now();
  const { used, allowed, now, ...server } = rows[0];
  const migrations = await rowsIfTableExists(database.query<{ name: string }>(`SELECT name FROM ${MIGRATIONS_TABLE}`));
  const applied = migrations.map(({ name }) => name);
  const run = async (sql: string) => (await database.query(sql)).rows;
  return {
    ...server,
    serverProblem: serverProblem(await readServer(run)),
    connections: { used, allowed },
    clockAheadMs: now - (sentAt + receivedAt) / 2,
    clockUncertaintyMs: receivedAt - sentAt,
    pendingMigrations: KNOWN_MIGRATIONS.filter((name) => !applied.includes(name)),
    schemaProblem: schemaProblem(applied),
    workers: await rowsIfTableExists(database.query<DatabaseInfo['workers'][number]>(WORKERS, [WORKER_DEAD_AFTER_S])),
  };
}

/** No rows when the table does not exist: the database is new. */
async function rowsIfTableExists<T>(query: Promise<{ rows: T[] }>): Promise<T[]> {
  try {
    return (await query).rows;
  } catch (error) {
    if ((error as { code?: string }).code === UNDEFINED_TABLE) return [];
    throw error;
  }
}
