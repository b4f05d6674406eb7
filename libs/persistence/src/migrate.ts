import type { DataSource } from 'typeorm';

/** Any number of programs may start at once on one database; one of them migrates, the others wait (details §9). */
const MIGRATION_LOCK = 7_305_119_001;

/**
 * Brings the schema up to date and then runs `afterwards` (the bootstrap of the first account) under the same lock.
 * @returns what `afterwards` made
 * @throws when a migration fails; the database is then as before it.
 */
export async function migrate<T>(dataSource: DataSource, afterwards?: () => Promise<T>): Promise<T | undefined> {
  const runner = dataSource.createQueryRunner();
  await runner.connect();
  try {
    await runner.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await dataSource.runMigrations({ transaction: 'each' });
    return await afterwards?.();
  } finally {
    await runner.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
    await runner.release();
  }
}
