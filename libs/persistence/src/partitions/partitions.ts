import type { Database, Queryable } from '../connection/database.js';
import {
  boundAt,
  dayOfPartition,
  PARTITIONED_TABLES,
  partitionName,
  startOfDay,
  type PartitionedTable,
  type PartitionedTableName,
} from './partitioned-tables.js';

/** Partitions exist for today and so many days after it. */
const DAYS_AHEAD = 8;
/**
 * Creating and dropping a partition locks the table or its DEFAULT partition for a moment. A transaction that is in the way
 * is not waited for longer, because all later statements on the table would wait as well; the next round tries again.
 */
const LOCK_TIMEOUT = '500ms';
const STATEMENT_TIMEOUT = '20s';
/** Rows of a day that are moved from the DEFAULT partition to its own; more stay there until they expire. */
const MOVED_ROWS = 50_000;
/** Rows per transaction when expired rows of a DEFAULT partition are deleted. */
const DELETED_ROWS = 1_000;
/** A DEFAULT partition is counted up to so many rows. */
const COUNTED_ROWS = 10_000;

const STATES_MS = 1_000;

/** One partitioned table as it is now. */
export interface PartitionState {
  table: PartitionedTableName;
  /** Midnight at the beginning of the day of each partition, in order. */
  days: Date[];
  /** Rows in the DEFAULT partition, counted up to 10,000. */
  defaultRows: number;
}

/** What `expire` did. */
export interface Expired {
  /** Names of the partitions that were dropped. */
  dropped: string[];
  /** Rows that were deleted from the DEFAULT partition. */
  deleted: number;
}

const LIST = `
  SELECT child.relname AS partition FROM pg_inherits JOIN pg_class AS child ON child.oid = inhrelid
   WHERE inhparent = to_regclass($1) ORDER BY child.relname`;

/** Creates the partition of each day and drops those whose time is over. Its statements may run in any number of programs. */
export class Partitions {
  /** Of `performance.now()`. */
  private readAt = -Infinity;
  private read: Promise<PartitionState[]> = Promise.resolve([]);

  constructor(private readonly database: Database) {}

  /**
   * Creates the partitions of today and the following days that do not exist; returns their names.
   * @param onFailure called for each partition that cannot be created now
   */
  async createAhead(
    now: Date,
    onFailure: (partition: string, error: unknown) => void,
    days = DAYS_AHEAD,
  ): Promise<string[]> {
    const created: string[] = [];
    for (const table of Object.values(PARTITIONED_TABLES) as PartitionedTable[]) {
      const existing = new Set(await this.names(table));
      for (let ahead = 0; ahead <= days; ahead++) {
        const day = startOfDay(now, ahead);
        const name = partitionName(table, day);
        if (existing.has(name)) continue;
        try {
          await this.database.transaction((tx) => createPartition(tx, table, day));
          created.push(name);
        } catch (error) {
          onFailure(name, error);
        }
      }
    }
    return created;
  }

  /**
   * Drops the partitions that end at `before` or earlier, and deletes older rows from the DEFAULT partition.
   * @param keepFrom nothing from this value of the partition key on is removed
   */
  async expire(name: PartitionedTableName, before: Date, keepFrom: string | null = null): Promise<Expired> {
    const table: PartitionedTable = PARTITIONED_TABLES[name];
    const dropped: string[] = [];
    for (const partition of await this.names(table)) {
      const day = dayOfPartition(table, partition);
      if (day === null || !isOver(table, day, { before, keepFrom })) continue;
      await this.database.transaction(async (tx) => {
        await tx.query(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
        await tx.query(`DROP TABLE ${partition}`);
      });
      dropped.push(partition);
    }
    return { dropped, deleted: await this.deleteFromDefault(table, { before, keepFrom }) };
  }

  /** As `states`, but at most one second old: several metrics are read together. */
  recentStates(): Promise<PartitionState[]> {
    const now = performance.now();
    if (now - this.readAt > STATES_MS) {
      this.readAt = now;
      this.read = this.states();
      this.read.catch(() => (this.readAt = -Infinity));
    }
    return this.read;
  }

  async states(): Promise<PartitionState[]> {
    const states: PartitionState[] = [];
    for (const name of Object.keys(PARTITIONED_TABLES) as PartitionedTableName[]) {
      const table: PartitionedTable = PARTITIONED_TABLES[name];
      const days = (await this.names(table)).map((partition) => dayOfPartition(table, partition));
      const { rows } = await this.database.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM (SELECT FROM ${name}_default LIMIT ${COUNTED_ROWS}) AS counted`,
      );
      states.push({ table: name, days: days.filter((day) => day !== null), defaultRows: rows[0].count });
    }
    return states;
  }

  private async names({ name }: PartitionedTable): Promise<string[]> {
    const { rows } = await this.database.query<{ partition: string }>({
      name: 'partitions-list',
      text: LIST,
      values: [name],
    });
    return rows.map(({ partition }) => partition);
  }

  /** In small transactions; rows that are locked at the moment are left to the next round. */
  private async deleteFromDefault(table: PartitionedTable, { before, keepFrom }: Limits): Promise<number> {
    const bound = boundAt(table, before);
    const end = keepFrom !== null && keepFrom < bound ? keepFrom : bound;
    const partition = `${table.name}_default`;
    for (let deleted = 0; ;) {
      const { rowCount } = await this.database.query(
        `DELETE FROM ${partition} WHERE ctid = ANY (ARRAY(
           SELECT ctid FROM ${partition} WHERE ${table.key} < $1 LIMIT ${DELETED_ROWS} FOR UPDATE SKIP LOCKED))`,
        [end],
      );
      deleted += rowCount;
      if (rowCount < DELETED_ROWS) return deleted;
    }
  }
}

/** Rows are removed that are older than `before` and whose partition key is lower than `keepFrom`. */
interface Limits {
  before: Date;
  keepFrom: string | null;
}

/** Whether all rows of the day are older than `before` and below `keepFrom`. */
function isOver(table: PartitionedTable, day: Date, { before, keepFrom }: Limits): boolean {
  const end = startOfDay(day, 1);
  return end <= before && (keepFrom === null || boundAt(table, end) <= keepFrom);
}

/** Creates and fills the partition before it is attached, so that the table itself is not locked against reads or writes. */
async function createPartition(tx: Queryable, table: PartitionedTable, day: Date): Promise<void> {
  const { name, key, storage } = table;
  const partition = partitionName(table, day);
  const [from, to] = [boundAt(table, day), boundAt(table, startOfDay(day, 1))];
  await tx.query(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
  await tx.query(`SET LOCAL statement_timeout = '${STATEMENT_TIMEOUT}'`);
  await tx.query(`CREATE TABLE ${partition} (LIKE ${name} INCLUDING ALL) ${storage ? `WITH (${storage})` : ''}`);
  const columns = await columnsOf(tx, name);
  // LIKE does not copy it.
  for (const { column, statistics } of columns)
    if (statistics !== null && statistics >= 0)
      await tx.query(`ALTER TABLE ${partition} ALTER COLUMN ${column} SET STATISTICS ${statistics}`);
  if (await mayMove(tx, table, [from, to])) {
    const stored = columns.filter(({ generated }) => !generated).map(({ column }) => column);
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
