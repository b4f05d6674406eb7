import type { Log } from '#libs/kernel';
import { Lease, type Database, type Worker } from '#libs/persistence';
import { belongsTo } from '../shards/partitioner.js';
import type { RelayedTable } from '../relayed-table.js';
import type { RelaySource, SourceRead, SourceRecord } from '../relay-source.js';
import { ShardLayout, type ShardPositions } from '../shards/shard-layout.js';
import { shardName, WHOLE, type Shard } from '../shards/shard.js';
import { storeWhenAvailable } from './position-lease.js';

/**
 * How far the rows of a table have been copied. Those of transactions visible in `done` are copied. The others that are
 * visible in `target` are being copied, in the order of `tx` and `row`; without `target` the next read begins.
 */
export interface TablePosition {
  done: string;
  target: string | null;
  tx: string;
  row: string;
}

/** No transaction is visible in it. */
const NOTHING = '1:1:';
const BEFORE_ALL = { tx: '0', row: '' };

interface FoundRow {
  target: string;
  id: string | null;
  tx: string | null;
  /** Null for the whole table. */
  key: string | null;
}

/** Several shards begin again with the transactions that the least advanced one had not seen. */
const TABLE_POSITIONS: ShardPositions = {
  leaseOf: (name) => name,
  replace: async (tx, from, to) => {
    const { rows } = await tx.query<TablePosition>(
      `DELETE FROM relay_positions WHERE relay = ANY($1)
       RETURNING done::text, target::text, tx::text, row_id AS row`,
      [from],
    );
    const start = (position: Partial<TablePosition>) => ({ done: NOTHING, target: null, ...BEFORE_ALL, ...position });
    const known = rows.length === from.length ? rows : [start({})];
    const positions = known.length === 1 ? known : known.map(({ done }) => start({ done }));
    await tx.query(
      `INSERT INTO relay_positions (relay, done, target, tx, row_id)
       SELECT relay, first.*
         FROM unnest($1::text[]) AS relay
              CROSS JOIN (SELECT done::pg_snapshot, target::pg_snapshot, tx::xid8, row_id
                            FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) AS known (done, target, tx, row_id)
                           ORDER BY ${SNAPSHOT_ORDER} LIMIT 1) AS first`,
      [to, ...(['done', 'target', 'tx', 'row'] as const).map((column) => positions.map((one) => one[column]))],
    );
  },
};

/** Snapshots of one server, the oldest first. */
const SNAPSHOT_ORDER = `pg_snapshot_xmax(done::pg_snapshot), pg_snapshot_xmin(done::pg_snapshot),
  cardinality(ARRAY(SELECT pg_snapshot_xip(done::pg_snapshot))) DESC`;

/**
 * The new rows of a table, by the transaction that inserted each (column `tx`). A row counts as new when its transaction is
 * visible in the present snapshot and was not in that of the previous read, so that a transaction that commits late, or
 * stays open for long, delays only its own rows.
 */
export class TableSource implements RelaySource<TablePosition> {
  readonly name: string;
  private at: TablePosition = { done: NOTHING, target: null, ...BEFORE_ALL };
  private readonly lease: Lease;
  private readonly layout: ShardLayout;
  private readonly find: string;
  private isOurs: (key: string) => boolean = () => true;

  constructor(
    private readonly table: RelayedTable,
    private readonly parts: { database: Database; worker: Worker; log: Log },
    readonly shard: Shard = WHOLE,
  ) {
    const relay = `kafka-relay ${table.topic}`;
    this.name = shardName(relay, shard);
    this.lease = new Lease(parts.database, parts.worker, this.name);
    this.layout = new ShardLayout(parts.database, relay, TABLE_POSITIONS);
    this.find = findRows(table.table, shard.of === 1 ? 'NULL' : table.key);
  }

  take(): Promise<boolean> {
    return this.lease.take();
  }

  async begin(partitions: number): Promise<number | null> {
    const { of } = this.shard;
    const division = await this.layout.agree(this.name, { shards: of, partitions });
    if (division.shards !== of || division.partitions > partitions) return null;
    if (of > 1) this.isOurs = belongsTo(this.shard, division.partitions);
    await this.goToStored();
    return division.partitions;
  }

  private async goToStored(): Promise<void> {
    const { rows } = await this.parts.database.query<TablePosition & { foreign: boolean }>(
      `WITH made AS (
         INSERT INTO relay_positions (relay, done) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING *),
       known AS (SELECT * FROM made UNION ALL SELECT * FROM relay_positions WHERE relay = $1)
       SELECT done::text, target::text, tx::text, row_id AS row,
              pg_snapshot_xmax(done) > pg_snapshot_xmax(pg_current_snapshot()) AS foreign FROM known`,
      [this.name, NOTHING],
    );
    const [{ foreign, ...stored }] = rows;
    if (foreign) {
      this.parts.log.warn('kafka relay: the database was restored into another server, so all rows are copied again', {
        table: this.table.table,
      });
      this.at = { done: NOTHING, target: null, ...BEFORE_ALL };
    } else this.at = stored;
  }

  check(): void {
    this.lease.held();
  }

  async read(limit: number): Promise<SourceRead<TablePosition>> {
    const { ids, last, positions } = await this.next(limit);
    // Rows may have been deleted since they were found.
    const rows = ids.length === 0 ? [] : await this.table.load(ids);
    const records = rows.map(({ rowId, ...record }) => ({
      ...record,
      type: this.table.type,
      position: positions.get(rowId) as TablePosition,
    }));
    return { records, upTo: last, isAll: positions.size < limit };
  }

  /** The next rows of the table; `ids` are those of the shard. */
  private async next(
    limit: number,
  ): Promise<{ ids: string[]; last: TablePosition | null; positions: Map<string, TablePosition> }> {
    const { done, target, tx, row } = this.at;
    const { rows } = await this.parts.database.query<FoundRow>({
      name: `bus-rows-of-${this.table.table}${this.shard.of === 1 ? '' : '-with-keys'}`,
      text: this.find,
      values: [done, target, tx, row, limit, done === NOTHING],
    });
    const positions = new Map<string, TablePosition>();
    const ids: string[] = [];
    for (const found of rows) {
      if (found.id === null || found.tx === null) continue;
      positions.set(found.id, { done, target: found.target, tx: found.tx, row: found.id });
      if (this.isOurs(found.key ?? '')) ids.push(found.id);
    }
    const last = [...positions.values()].at(-1) ?? null;
    const isAll = positions.size < limit;
    this.at = isAll || last === null ? { done: rows[0].target, target: null, ...BEFORE_ALL } : last;
    return { ids, last, positions };
  }

  advance(to: TablePosition, stopping: AbortSignal): Promise<void> {
    return storeWhenAvailable(() => this.store(to), stopping);
  }

  /** Without a flush, as a position that a crash of the database loses only repeats records. */
  private async store({ done, target, tx, row }: TablePosition): Promise<void> {
    const { name, owner, fence } = this.lease.held();
    const { rowCount } = await this.parts.database.query({
      name: 'bus-relay-position-advance',
      text: `UPDATE relay_positions SET done = $2, target = $3, tx = $4, row_id = $5, updated_at = now()
              WHERE relay = $1 AND EXISTS (SELECT FROM leases WHERE name = $6 AND owner = $7 AND fence = $8)
             RETURNING set_config('synchronous_commit', 'off', true)`,
      values: [this.name, done, target, tx, row, name, owner, fence],
    });
    if (rowCount !== 1) throw new Error(`the position of ${this.name} belongs to another process`);
  }

  release(): Promise<void> {
    return this.lease.release();
  }

  /** The row stays in its table, so that nothing else has to be kept. */
  async refuse({ position }: SourceRecord<TablePosition>, { message: reason }: Error): Promise<void> {
    const { table } = this.table;
    this.parts.log.error('kafka relay: a row is refused and left out', undefined, { table, row: position.row, reason });
  }

  onNew(): () => void {
    return () => undefined;
  }

  marker(): null {
    return null;
  }
}

/**
 * `key`: an SQL expression, for rows that belong to shards.
 *
 * $1: done, $2: target or NULL for the present, $3 and $4: the last row, $5: limit, $6: nothing was copied before.
 *
 * The rows of transactions that were in progress at `done` are looked up by their number, all others are above it, so that
 * no row is read twice. A dump that was restored into another server has rows with numbers of the future: all of them are
 * committed, and they are copied with the first rows.
 */
function findRows(table: RelayedTable['table'], key: string): string {
  const rows = (condition: string) =>
    `(SELECT id, tx, ${key}::text AS key FROM ${table} WHERE ${condition} AND (tx, id) > ($3::xid8, $4::text) ORDER BY tx, id LIMIT $5)`;
  const target = '(SELECT target FROM bounds)';
  const isVisible = `pg_visible_in_snapshot(tx, ${target})`;
  return `
  WITH bounds AS MATERIALIZED (SELECT coalesce($2::pg_snapshot, pg_current_snapshot()) AS target),
  found AS (
    ${rows(`tx = ANY (ARRAY(SELECT pg_snapshot_xip($1::pg_snapshot))) AND ${isVisible}`)}
    UNION ALL
    ${rows(`tx >= pg_snapshot_xmax($1::pg_snapshot) AND tx < pg_snapshot_xmax(${target}) AND ${isVisible}`)}
    UNION ALL
    ${rows('$6::boolean AND tx >= (SELECT pg_snapshot_xmax(pg_current_snapshot()))')}
    ORDER BY tx, id LIMIT $5)
  SELECT bounds.target::text, found.id, found.tx::text, found.key
    FROM bounds LEFT JOIN found ON true ORDER BY found.tx, found.id`;
}
