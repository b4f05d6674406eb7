import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError, type Log } from '#libs/kernel';
import type { DataSource, QueryRunner } from 'typeorm';
import { Database } from './connection/database.js';
import { MIGRATIONS, MIGRATIONS_TABLE } from './migrations/index.js';
import { Partitions } from './partitions/partitions.js';
import {
  requireMigrationRights,
  requireServer,
  requireUsableTables,
  type RunSql,
} from './program/server-requirements.js';

/** Any number of programs may start at once on one database: one of them migrates, the others wait. */
const MIGRATION_LOCK = 7_305_119_001;

const LOCK_RETRY_MS = 100;
const LOCK_LOG_MS = 5_000;
/** SQLSTATE after `lock_timeout`. */
const LOCK_NOT_AVAILABLE = '55P03';
/** Whoever waited behind the migration gets the table first. */
const LOCK_TIMEOUT_PAUSE_MS = 1_000;

/** In the order in which they are applied. */
export const KNOWN_MIGRATIONS: readonly string[] = MIGRATIONS.map((migration) => new migration().name);

export interface MigrateOptions<T> {
  /** Runs under the same lock, after the migrations: the creation of the first account. */
  afterwards?: () => Promise<T>;
  /** Told while another program holds the lock. */
  log?: Log;
  /** Only these migrations, for data of an earlier version; the others follow by a call without it. */
  only?: readonly string[];
}

/**
 * Brings the schema up to date.
 * @returns the result of `afterwards`
 * @throws ConfigError when the server is too old, a right is missing, or the schema was made by another version; nothing is
 *   written then.
 * @throws when a migration fails; the database is then as before it, or between two steps of one that runs online.
 */
export async function migrate<T>(
  dataSource: DataSource,
  { afterwards, log, only = KNOWN_MIGRATIONS }: MigrateOptions<T> = {},
): Promise<T | undefined> {
  const runner = dataSource.createQueryRunner();
  await runner.connect();
  const run: RunSql = (sql, values) => runner.query(sql, values) as Promise<unknown>;
  try {
    await requireServer(run);
    await requireUsableTables(run);
    await takeLock(runner, log);
    const applied = await appliedMigrations(runner);
    const problem = schemaProblem(applied);
    if (problem !== null) throw new ConfigError(`${problem.message} ${problem.fix}`);
    const isOutdated = applied.length < only.length;
    if (isOutdated) await requireMigrationRights(run);
    if (isOutdated) await withMigrations(dataSource, only, () => applyMigrations(dataSource, log));
    if (isOutdated) await createFirstPartitions(dataSource, log);
    return await afterwards?.();
  } finally {
    await runner.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
    await runner.release();
  }
}

/** Tries again while another transaction holds a lock that a migration needs; those before it stay applied. */
async function applyMigrations(dataSource: DataSource, log: Log | undefined): Promise<void> {
  for (;;) {
    try {
      await dataSource.runMigrations({ transaction: 'each' });
      return;
    } catch (error) {
      if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error;
      log?.warn('a change of the schema waits for a transaction that uses the table', {
        reason: (error as Error).message,
      });
      await sleep(LOCK_TIMEOUT_PAUSE_MS);
    }
  }
}

/** Runs `work` while the connection knows no other migrations than these. */
async function withMigrations(
  dataSource: DataSource,
  only: readonly string[],
  work: () => Promise<void>,
): Promise<void> {
  const source = dataSource as { migrations: DataSource['migrations'] };
  const all = source.migrations;
  source.migrations = all.filter(({ name }) => name !== undefined && only.includes(name));
  try {
    await work();
  } finally {
    source.migrations = all;
  }
}

/** So that a new database begins with partitions; the program `delivery` creates those of the days to come. */
async function createFirstPartitions(dataSource: DataSource, log: Log | undefined): Promise<void> {
  await new Partitions(new Database(dataSource)).createAhead(
    new Date(),
    (partition, error) =>
      log?.warn('a partition cannot be created now', { partition, reason: (error as Error).message }),
    1,
  );
}

/** Asks again and again instead of waiting in one statement, which statement_timeout would cancel. */
async function takeLock(runner: QueryRunner, log: Log | undefined): Promise<void> {
  let loggedAt = performance.now();
  for (;;) {
    const [{ locked }] = (await runner.query('SELECT pg_try_advisory_lock($1) AS locked', [MIGRATION_LOCK])) as {
      locked: boolean;
    }[];
    if (locked) return;
    if (performance.now() - loggedAt >= LOCK_LOG_MS) {
      log?.warn('waiting for another program that changes the schema or creates the first account');
      loggedAt = performance.now();
    }
    await sleep(LOCK_RETRY_MS);
  }
}

/** Null: this version can use a database with these migrations, after the ones that are missing. */
export function schemaProblem(applied: readonly string[]): { message: string; fix: string } | null {
  const unknown = applied.filter((name) => !KNOWN_MIGRATIONS.includes(name)).toSorted(byNumber);
  const last = unknown.at(-1);
  if (last === undefined) return null;
  const isNewer = KNOWN_MIGRATIONS.every((name) => applied.includes(name));
  const newest = numberOf(KNOWN_MIGRATIONS.at(-1) ?? '');
  if (isNewer && unknown.every((name) => numberOf(name) > newest))
    return {
      message: `The database was made by a newer version (schema ${last}) that this version cannot use.`,
      fix: 'Start the newer version, or restore a backup from before the upgrade.',
    };
  return {
    message: `The database was made by a development version (schema ${last}) that this version cannot read.`,
    fix: 'To keep the data, start the version that made it; to drop it, start with an empty DATA_DIR or database.',
  };
}

async function appliedMigrations(runner: QueryRunner): Promise<string[]> {
  const [{ table }] = (await runner.query('SELECT to_regclass($1) AS table', [MIGRATIONS_TABLE])) as {
    table: unknown;
  }[];
  if (table === null) return [];
  const rows = (await runner.query(`SELECT name FROM ${MIGRATIONS_TABLE}`)) as { name: string }[];
  return rows.map(({ name }) => name);
}

const byNumber = (a: string, b: string): number => numberOf(a) - numberOf(b);

/** The thirteen digits at the end of a name, by which TypeORM orders migrations. */
const numberOf = (name: string): number => Number(name.slice(-13));
