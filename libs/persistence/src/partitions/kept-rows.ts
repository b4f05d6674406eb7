import type { Database, Queryable } from '../connection/database.js';
import { boundsOf, createLike, LOCK_TIMEOUT, storedColumns } from './create-partition.js';
import { keptName, partitionName, type PartitionedTable } from './partitioned-tables.js';

/** Keys that are read, and keys whose rows are looked at for a deletion, by one statement. */
const READ_KEYS = 10_000;
const DELETED_KEYS = 500;
/** Limits of one copying transaction; a single key may have more. */
const COPIED_ROWS = 500;
const COPIED_BYTES = 16 * 1024 * 1024;
const CONSTRAINT = 'kept_range';

/** A range of keys; `to` is outside of it. */
interface KeyRange {
  from: string;
  to: string;
}

/** Says which rows are kept although their time is over. A row that is not kept once is never kept again. */
export interface KeepRule {
  /** The first `limit` keys of the range that have rows to keep, in order. There may be no row with such a key. */
  keys(range: KeyRange, limit: number): Promise<string[]>;
  /** The same as an SQL condition on the key. */
  condition(key: string): string;
}

/** Rows of one table with the same key. */
interface KeySize {
  key: string;
  rows: number;
  bytes: number;
}

/**
 * Drops the partition of a day, except for rows that are kept. They are copied in short transactions to a table that replaces the
 * partition. Until then it is complete and readers see no other; a trigger repeats in the copy what changes in it meanwhile.
 * So after the end of the process at any point, the next round goes on.
 */
export class KeptRows {
  constructor(
    private readonly database: Database,
    private readonly table: PartitionedTable,
    private readonly rule: KeepRule | null,
  ) {}

  /** False if another program has dropped the partition. */
  async drop(day: Date): Promise<boolean> {
    const [partition, kept] = [partitionName(this.table, day), keptName(this.table, day)];
    const range = boundsOf(this.table, day);
    for (let from = range.from; ;) {
      const keys = (await this.rule?.keys({ ...range, from }, READ_KEYS)) ?? [];
      if (keys.length > 0 && !(await this.copy({ partition, kept, range }, keys))) return false;
      if (keys.length < READ_KEYS) break;
      from = following(keys[keys.length - 1]);
    }
    return this.within(partition, async (tx) => {
      // Before any lock of a partition, in the order of readers, who then see either all partitions of before or all of after.
      await tx.query(`LOCK TABLE ONLY ${this.table.name} IN ACCESS EXCLUSIVE MODE`);
      await tx.query(`DROP TABLE ${partition}`);
      if (!(await exists(tx, kept))) return;
      if (!(await hasRows(tx, kept))) return void (await tx.query(`DROP TABLE ${kept}`));
      await tx.query(
        `ALTER TABLE ${this.table.name} ATTACH PARTITION ${kept} FOR VALUES FROM ('${range.from}') TO ('${range.to}')`,
      );
      await tx.query(`ALTER TABLE ${kept} DROP CONSTRAINT ${CONSTRAINT}`);
    });
  }

  /** False if the partition has rows, or another program has dropped it. */
  async dropEmpty(partition: string): Promise<boolean> {
    if (await hasRows(this.database, partition).catch(() => true)) return false;
    let isEmpty = false;
    await this.within(partition, async (tx) => {
      await tx.query(`LOCK TABLE ONLY ${this.table.name} IN ACCESS EXCLUSIVE MODE`);
      await tx.query(`LOCK TABLE ${partition} IN ACCESS EXCLUSIVE MODE`);
      isEmpty = !(await hasRows(tx, partition));
      if (isEmpty) await tx.query(`DROP TABLE ${partition}`);
    });
    return isEmpty;
  }

  /**
   * Deletes rows that are not kept and whose key is below `end`, in small transactions. Rows that are locked at the moment are
   * left to the next round.
   */
  async deleteFrom(partition: string, end: string | null = null): Promise<number> {
    const { key, keyKind } = this.table;
    const type = keyKind === 'time' ? 'timestamptz' : 'text';
    const and = this.rule === null ? '' : `AND NOT (${this.rule.condition(`expired.${key}`)})`;
    for (let [deleted, last] = [0, null as string | null]; ;) {
      const { rows } = await this.database.query<{ key: string }>(
        `SELECT ${key}::text AS key FROM ${partition}
          WHERE ($1::${type} IS NULL OR ${key} > $1) AND ($2::${type} IS NULL OR ${key} < $2)
          GROUP BY ${key} ORDER BY ${partition}.${key} LIMIT ${DELETED_KEYS}`,
        [last, end],
      );
      if (rows.length === 0) return deleted;
      const keys = rows.map((row) => row.key);
      const { rowCount } = await this.database.query(
        `DELETE FROM ${partition} WHERE ctid = ANY (ARRAY(
           SELECT ctid FROM ${partition} AS expired WHERE ${key} = ANY ($1::${type}[]) ${and} FOR UPDATE SKIP LOCKED))`,
        [keys],
      );
      deleted += rowCount;
      last = keys[keys.length - 1];
    }
  }

  /** Copies the rows with these keys. False if another program has dropped the partition. */
  private async copy({ partition, kept, range }: Copying, keys: string[]): Promise<boolean> {
    const isThere = await this.within(partition, (tx) => this.prepare(tx, { partition, kept, range }));
    if (!isThere) return false;
    for (const batch of inBatches(await this.sizes(partition, keys))) {
      const isCopied = await this.within(partition, async (tx) => {
        const columns = (await storedColumns(tx, this.table.name)).join(', ');
        // The lock on each row lets a deletion wait for the copy, which its trigger then finds.
        await tx.query(
          `INSERT INTO ${kept} (${columns}) SELECT ${columns} FROM ${partition} WHERE ${this.table.key} = ANY ($1) FOR SHARE
           ON CONFLICT DO NOTHING`,
          [batch],
        );
      });
      if (!isCopied) return false;
    }
    return true;
  }

  /** The copy and its trigger. */
  private async prepare(tx: Queryable, { partition, kept, range }: Copying): Promise<void> {
    if (await exists(tx, kept)) return;
    const { key, name } = this.table;
    await createLike(tx, this.table, kept);
    // With it, ATTACH does not read the rows.
    await tx.query(
      `ALTER TABLE ${kept} ADD CONSTRAINT ${CONSTRAINT} CHECK (${key} IS NOT NULL AND ${key} >= '${range.from}' AND ${key} < '${range.to}')`,
    );
    const [primary, columns] = [await primaryKey(tx, name), await storedColumns(tx, name)];
    await tx.query(
      `CREATE TRIGGER mirror_kept_rows AFTER INSERT OR UPDATE OR DELETE ON ${partition}
         FOR EACH ROW EXECUTE FUNCTION mirror_kept_rows('${kept}', '${primary.join(', ')}', '${columns.join(', ')}')`,
    );
  }

  private async sizes(partition: string, keys: string[]): Promise<KeySize[]> {
    const { key, bulk } = this.table;
    const bytes = bulk === undefined ? '0' : `coalesce(sum(pg_column_size(${bulk})), 0)`;
    const { rows } = await this.database.query<KeySize>(
      `SELECT ${key} AS key, count(*)::int AS rows, ${bytes}::float AS bytes FROM ${partition}
        WHERE ${key} = ANY ($1) GROUP BY ${key} ORDER BY ${key}`,
      [keys],
    );
    return rows;
  }

  /** A transaction that changes a partition, one at a time. False if there is no such partition any more. */
  private within(partition: string, work: (tx: Queryable) => Promise<void>): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      await tx.query(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
      await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('partition ' || $1, 0))`, [partition]);
      const { rows } = await tx.query('SELECT FROM pg_inherits WHERE inhrelid = to_regclass($1)', [partition]);
      if (rows.length === 0) return false;
      await work(tx);
      return true;
    });
  }
}

interface Copying {
  partition: string;
  kept: string;
  range: KeyRange;
}

/** The first key after another one. */
const following = (key: string): string => `${key}\u0001`;

function inBatches(sizes: readonly KeySize[]): string[][] {
  const batches: string[][] = [];
  let [rows, bytes] = [Infinity, 0];
  for (const size of sizes) {
    const last = batches.at(-1);
    rows += size.rows;
    bytes += size.bytes;
    if (last !== undefined && rows <= COPIED_ROWS && bytes <= COPIED_BYTES) last.push(size.key);
    else {
      batches.push([size.key]);
      [rows, bytes] = [size.rows, size.bytes];
    }
  }
  return batches;
}

async function exists(tx: Queryable, table: string): Promise<boolean> {
  const { rows } = await tx.query<{ exists: boolean }>('SELECT to_regclass($1) IS NOT NULL AS exists', [table]);
  return rows[0].exists;
}

async function hasRows(db: Queryable, table: string): Promise<boolean> {
  return (await db.query<{ exists: boolean }>(`SELECT EXISTS (SELECT FROM ${table}) AS exists`)).rows[0].exists;
}

async function primaryKey(tx: Queryable, table: string): Promise<string[]> {
  const { rows } = await tx.query<{ column: string }>(
    `SELECT quote_ident(attname) AS column FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY (indkey)
      WHERE indrelid = to_regclass($1) AND indisprimary`,
    [table],
  );
  return rows.map(({ column }) => column);
}
