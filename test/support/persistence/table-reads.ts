import type { Database } from '#libs/persistence';

/** What statements read of the tables of the database: rows and index entries, and pages of 8 KiB. */
export interface TableReads {
  rows: number;
  pages: number;
}

const COUNTERS = `
  SELECT (SELECT sum(seq_tup_read) FROM pg_stat_user_tables)::int
         + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes)::int AS rows,
         sum(heap_blks_read + heap_blks_hit + coalesce(idx_blks_read + idx_blks_hit, 0))::int AS pages
    FROM pg_statio_user_tables`;

/**
 * Counts what `work` reads. The database must have one connection only (`createTestDatabase(entities, 1)`): others keep
 * their counts to themselves for up to a second.
 */
export async function tableReads(database: Database, work: () => Promise<unknown>): Promise<TableReads> {
  const before = await counters(database);
  await work();
  const after = await counters(database);
  return { rows: after.rows - before.rows, pages: after.pages - before.pages };
}

/** Until two readings are equal: a flush that finds an entry locked by another process leaves it for the next one. */
async function counters(database: Database): Promise<TableReads> {
  let [previous, current] = [await reading(database), await reading(database)];
  for (let i = 0; i < 10 && (previous.rows !== current.rows || previous.pages !== current.pages); i += 1)
    [previous, current] = [current, await reading(database)];
  return current;
}

async function reading(database: Database): Promise<TableReads> {
  await database.query('SELECT pg_stat_force_next_flush()');
  return (await database.query<TableReads>(COUNTERS)).rows[0];
}
