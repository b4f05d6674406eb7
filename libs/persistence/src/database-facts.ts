import { Database } from './database.js';
import { MIGRATIONS } from './migrations/index.js';
import { WORKER_DEAD_AFTER_S } from './worker.js';

/** How the server is set up, for the operator. */
export interface DatabaseFacts {
  /** As `server_version_num`: 160004 is 16.4. */
  version: number;
  /** `on` unless somebody traded crash safety for speed. */
  fsync: string;
  fullPageWrites: string;
  synchronousCommit: string;
  /** A standby takes no writes. */
  isStandby: boolean;
  connections: { used: number; allowed: number };
  /** Milliseconds that its clock is ahead of ours, known to half of `clockAsideMs`. */
  clockAheadMs: number;
  clockAsideMs: number;
  /** Migrations of this version that it has not had yet. */
  pendingMigrations: string[];
  /** Migrations that this version does not know: a newer one was here. */
  foreignMigrations: string[];
  /** Programs that wrote a heartbeat, newest first. */
  workers: { program: string; isAlive: boolean; silentSeconds: number }[];
}

interface ServerRow extends Omit<DatabaseFacts, 'connections' | 'pendingMigrations' | 'foreignMigrations' | 'workers'> {
  used: number;
  allowed: number;
  now: number;
}

const SERVER = `
  SELECT current_setting('server_version_num')::int AS version, current_setting('fsync') AS fsync,
         current_setting('full_page_writes') AS "fullPageWrites",
         current_setting('synchronous_commit') AS "synchronousCommit", pg_is_in_recovery() AS "isStandby",
         (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS used,
         current_setting('max_connections')::int AS allowed, extract(epoch FROM clock_timestamp())::float * 1000 AS now`;
const WORKERS = `
  SELECT program, extract(epoch FROM now() - heartbeat_at)::float AS "silentSeconds",
         heartbeat_at > now() - make_interval(secs => $1) AS "isAlive"
    FROM workers ORDER BY heartbeat_at DESC LIMIT 100`;
const UNDEFINED_TABLE = '42P01';

/** @throws when the server does not answer */
export async function databaseFacts(database: Database): Promise<DatabaseFacts> {
  const askedAt = Date.now();
  const { rows } = await database.query<ServerRow>(SERVER);
  const answeredAt = Date.now();
  const { used, allowed, now, ...server } = rows[0];
  const done = new Set<string>(
    (await unlessMissing(database.query<{ name: string }>('SELECT name FROM schema_migrations'))).map(
      ({ name }) => name,
    ),
  );
  const known = MIGRATIONS.map((migration): string => new migration().name);
  return {
    ...server,
    connections: { used, allowed },
    clockAheadMs: now - (askedAt + answeredAt) / 2,
    clockAsideMs: answeredAt - askedAt,
    pendingMigrations: known.filter((name) => !done.has(name)),
    foreignMigrations: [...done].filter((name) => !known.includes(name)),
    workers: await unlessMissing(database.query<DatabaseFacts['workers'][number]>(WORKERS, [WORKER_DEAD_AFTER_S])),
  };
}

/** Nothing in a database that no version of ours has seen. */
async function unlessMissing<T>(query: Promise<{ rows: T[] }>): Promise<T[]> {
  try {
    return (await query).rows;
  } catch (error) {
    if ((error as { code?: string }).code === UNDEFINED_TABLE) return [];
    throw error;
  }
}
