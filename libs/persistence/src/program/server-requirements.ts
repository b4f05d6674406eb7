import { ConfigError } from '#libs/kernel';
import { MIGRATIONS_TABLE, OWN_TABLES } from '../migrations/index.js';

/** `server_version_num` of the oldest PostgreSQL that understands every statement of this version. */
const MINIMUM_VERSION = 140_000;

/** Runs one statement and returns its rows. */
export type RunSql = (sql: string, values?: unknown[]) => Promise<unknown>;

interface Server {
  version: number;
  shownVersion: string;
  encoding: string;
  isStandby: boolean;
  isReadOnly: boolean;
  user: string;
  database: string;
  schema: string | null;
  mayCreate: boolean;
}
interface Table {
  name: string;
  owner: string;
  isOwned: boolean;
  isUsable: boolean;
}

const SERVER = `
  SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS "shownVersion",
         pg_encoding_to_char(d.encoding) AS encoding, pg_is_in_recovery() AS "isStandby",
         current_setting('default_transaction_read_only') = 'on' AS "isReadOnly",
         current_user AS "user", d.datname AS database, current_schema() AS schema,
         coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS "mayCreate"
    FROM pg_database d WHERE d.datname = current_database()`;
const TABLES = `
  SELECT relname AS name, pg_get_userbyid(relowner) AS owner, pg_has_role(relowner, 'USAGE') AS "isOwned",
         has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT') AND
         has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE') AS "isUsable"
    FROM pg_class
   WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) AND relkind IN ('r', 'p') AND relname = ANY($1)
   ORDER BY relname`;

/**
 * Checks, without writing anything, that this version can work on the server at all.
 * @throws ConfigError with one sentence when the server is too old, accepts no writes, or has another encoding than UTF-8
 */
export async function requireServer(run: RunSql): Promise<void> {
  refuse(serverProblem(await readServer(run)));
}

/** Why this version cannot work on the server; null: it can. */
export function serverProblem({
  version,
  shownVersion,
  encoding,
  isStandby,
  isReadOnly,
  database,
}: Server): string | null {
  if (version < MINIMUM_VERSION)
    return `PostgreSQL ${shownVersion} is too old: this version needs PostgreSQL ${MINIMUM_VERSION / 10_000} or newer.`;
  if (isStandby) return 'The PostgreSQL server is a standby, which accepts no writes: set DATABASE_URL to the primary.';
  if (isReadOnly)
    return `The database ${database} accepts no writes: default_transaction_read_only is on for it or for its user.`;
  if (encoding !== 'UTF8')
    return `The database ${database} has the encoding ${encoding}, in which mail cannot be stored: create it with ENCODING 'UTF8'.`;
  return null;
}

/**
 * Checks, without writing anything, that the database user may read and write the tables that exist.
 * @throws ConfigError with one sentence that names the missing right
 */
export async function requireUsableTables(run: RunSql): Promise<void> {
  refuse(tableProblem(await readServer(run), await tablesOf(run)));
}

/**
 * Checks, without writing anything, that the database user may change the schema.
 * @throws ConfigError with one sentence that names the missing right
 */
export async function requireMigrationRights(run: RunSql): Promise<void> {
  refuse(migrationProblem(await readServer(run), await tablesOf(run)));
}

function refuse(problem: string | null): void {
  if (problem !== null) throw new ConfigError(problem);
}

export async function readServer(run: RunSql): Promise<Server> {
  const [server] = (await run(SERVER)) as Server[];
  return server;
}

async function tablesOf(run: RunSql): Promise<Table[]> {
  return (await run(TABLES, [[MIGRATIONS_TABLE, ...OWN_TABLES]])) as Table[];
}

function migrationProblem({ user, database, schema, mayCreate }: Server, tables: Table[]): string | null {
  if (schema === null)
    return `The search_path of the database user ${user} names no schema of ${database} that exists or that it may use: create one, or grant USAGE on it.`;
  if (!mayCreate)
    return `The database user ${user} may not create tables in ${database}: GRANT CREATE ON SCHEMA ${schema} TO ${user}.`;
  const foreign = tables.find(({ isOwned }) => !isOwned);
  if (foreign === undefined) return null;
  return `The database user ${user} may not change the table ${foreign.name}, which belongs to ${foreign.owner}: upgrade as ${foreign.owner}, or GRANT ${foreign.owner} TO ${user}.`;
}

function tableProblem({ user, schema }: Server, tables: Table[]): string | null {
  const unusable = tables.find(({ isUsable }) => !isUsable);
  if (unusable === undefined) return null;
  return `The database user ${user} may not read and write the table ${unusable.name}: GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${user}.`;
}
