import type { Queryable } from '../connection/database.js';
import { boundAt, partitionName, startOfDay, type PartitionedTable } from './partitioned-tables.js';

/**
 * Creating, replacing and dropping a partition locks the table or its DEFAULT partition for a moment. A transaction that is in
 * the way is not waited for longer, because all later statements on the table would wait as well; the next round tries again.
 */
export const LOCK_TIMEOUT = '500ms';
const STATEMENT_TIMEOUT = '20s';
/** Rows of a day that are moved from the DEFAULT partition to its own; more stay there until they expire. */
const MOVED_ROWS = 50_000;

/** Creates and fills the partition before it is attached, so that the table itself is not locked against reads or writes. */
export async function createPartition(tx: Queryable, table: PartitionedTable, day: Date): Promise<void> {
  const { name, key } = table;
  const partition = partitionName(table, day);
  const { from, to } = boundsOf(table, day);
  await tx.query(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
  await tx.query(`SET LOCAL statement_timeout = '${STATEMENT_TIMEOUT}'`);
  await createLike(tx, table, partition);
  if (await mayMove(tx, table, [from, to])) {
    const stored = await storedColumns(tx, name);
    await tx.query(
      `WITH moved AS (DELETE FROM ${name}_default WHERE ${key} >= '${from}' AND ${key} < '${to}' RETURNING ${stored.join(', ')})
       INSERT INTO ${partition} (${stored.join(', ')}) SELECT ${stored.join(', ')} FROM moved`,
    );
  }
  await tx.query(`ALTER TABLE ${name} ATTACH PARTITION ${partition} FOR VALUES FROM ('${from}') TO ('${to}')`);
}

/** Whether the DEFAULT partition has rows of the range; locked then. @throws if there are too many to move */
async function mayMove(tx: Queryable, { name, key }: PartitionedTable, [from, to]: [string, string]): Promise<boolean> {
  const count = async () => {
    const { rows } = await tx.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM (
         SELECT FROM ${name}_default WHERE ${key} >= '${from}' AND ${key} < '${to}' LIMIT ${MOVED_ROWS + 1}) AS counted`,
    );
    return rows[0].count;
  };
  if ((await count()) === 0) return false;
  await tx.query(`LOCK TABLE ${name}_default IN ACCESS EXCLUSIVE MODE`);
  if ((await count()) > MOVED_ROWS)
    throw new Error(`${name}_default has more than ${MOVED_ROWS} rows of this day, which stay there until they expire`);
  return true;
}

/** A table of its own that can become a partition. */
export async function createLike(tx: Queryable, { name, storage }: PartitionedTable, created: string): Promise<void> {
  await tx.query(`CREATE TABLE ${created} (LIKE ${name} INCLUDING ALL) ${storage ? `WITH (${storage})` : ''}`);
  // LIKE does not copy it.
  for (const { column, statistics } of await columnsOf(tx, name))
    if (statistics !== null && statistics >= 0)
      await tx.query(`ALTER TABLE ${created} ALTER COLUMN ${column} SET STATISTICS ${statistics}`);
}

/** The columns of a table that are not generated. */
export async function storedColumns(tx: Queryable, table: string): Promise<string[]> {
  return (await columnsOf(tx, table)).filter(({ generated }) => !generated).map(({ column }) => column);
}

/** The values of the key in the partition of a day: from `from`, below `to`. */
export const boundsOf = (table: PartitionedTable, day: Date): { from: string; to: string } => ({
  from: boundAt(table, day),
  to: boundAt(table, startOfDay(day, 1)),
});

interface Column {
  column: string;
  statistics: number | null;
  generated: boolean;
}

async function columnsOf(tx: Queryable, table: string): Promise<Column[]> {
  const { rows } = await tx.query<Column>(
    `SELECT quote_ident(attname) AS column, attstattarget::int AS statistics, attgenerated <> '' AS generated
       FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    [table],
  );
  return rows;
}
