import type { Database } from '../connection/database.js';
import { createPartition } from './create-partition.js';
import { KeptRows, type KeepRule } from './kept-rows.js';
import {
  boundAt,
  dayOfKept,
  dayOfPartition,
  PARTITIONED_TABLES,
  partitionName,
  startOfDay,
  type PartitionedTable,
  type PartitionedTableName,
} from './partitioned-tables.js';

/** Partitions exist for today and so many days after it. */
const DAYS_AHEAD = 8;
/** A DEFAULT partition is counted up to so many rows. */
const COUNTED_ROWS = 10_000;

const STATES_MS = 1_000;

/** One partitioned table as it is now. */
export interface PartitionState {
  table: PartitionedTableName;
  /** Midnight at the beginning of the day of each partition, in order. */
  days: Date[];
  /** Days whose partition was dropped except for rows that are kept longer. */
  keptDays: number;
  /** Rows in the DEFAULT partition, counted up to 10,000. */
  defaultRows: number;
}

/** What `expire` did. */
export interface Expired {
  /** Names of the partitions that were dropped. */
  dropped: string[];
  /** Rows that were deleted from the DEFAULT partition, and kept ones whose time is over now. */
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
   * Drops the partitions that end at `before` or earlier, and deletes older rows from the DEFAULT partition. Rows that are kept
   * move to a partition of their own, whatever their number, and are deleted as soon as nothing keeps them. A failure with one
   * partition does not stop the others. Any number of programs may run this at once.
   * @throws the first failure, at the end
   */
  async expire(name: PartitionedTableName, before: Date, rule: KeepRule | null = null): Promise<Expired> {
    const table: PartitionedTable = PARTITIONED_TABLES[name];
    const kept = new KeptRows(this.database, table, rule);
    const dropped: string[] = [];
    const failures: unknown[] = [];
    let deleted = 0;
    const attempt = (work: () => Promise<void>) => work().catch((error: unknown) => void failures.push(error));
    for (const partition of await this.names(table)) {
      const day = dayOfPartition(table, partition) ?? dayOfKept(table, partition);
      if (day === null || startOfDay(day, 1) > before) continue;
      const isKept = dayOfKept(table, partition) !== null;
      await attempt(async () => {
        if (isKept) deleted += await kept.deleteFrom(partition);
        if (await (isKept ? kept.dropEmpty(partition) : kept.drop(day))) dropped.push(partition);
      });
    }
    await attempt(async () => {
      deleted += await kept.deleteFrom(`${table.name}_default`, boundAt(table, before));
    });
    if (failures.length > 0) throw failures[0];
    return { dropped, deleted };
  }

  /** When the time of the oldest partition that is still there was over; null: there is none. */
  async overdueSince(name: PartitionedTableName, period: number, now: Date): Promise<Date | null> {
    const table: PartitionedTable = PARTITIONED_TABLES[name];
    const oldest = (await this.names(table)).map((partition) => dayOfPartition(table, partition)).find(isDate);
    if (oldest === undefined) return null;
    const over = new Date(startOfDay(oldest, 1).getTime() + period);
    return over <= now ? over : null;
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
      const names = await this.names(table);
      const days = names.map((partition) => dayOfPartition(table, partition));
      const keptDays = names.filter((partition) => dayOfKept(table, partition) !== null).length;
      const { rows } = await this.database.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM (SELECT FROM ${name}_default LIMIT ${COUNTED_ROWS}) AS counted`,
      );
      states.push({ table: name, days: days.filter(isDate), keptDays, defaultRows: rows[0].count });
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
}

const isDate = (day: Date | null): day is Date => day !== null;
