import type { Queryable } from '../connection/database.js';
import { OWN_TABLES } from '../migrations/index.js';

/** State of running processes and of this server, which means nothing after a restore. */
const NOT_DUMPED: ReadonlySet<string> = new Set([
  'workers',
  'leases',
  'rate_buckets',
  'sink_batches',
  'relay_positions',
]);

export interface OwnTable {
  name: string;
  /** In the order of the table, without generated ones and without numbers of transactions of this server. */
  columns: string[];
  /** An estimate. */
  rows: number;
  isPartitioned: boolean;
}

/** The tables whose rows belong into a dump, each after those that it refers to. */
export async function tablesToDump(db: Queryable): Promise<OwnTable[]> {
  const tables = (await ownTables(db)).filter(({ name }) => !NOT_DUMPED.has(name));
  const { rows: references } = await db.query<{ from: string; to: string }>(
    `SELECT DISTINCT conrelid::regclass::text AS from, confrelid::regclass::text AS to
       FROM pg_constraint WHERE contype = 'f' AND conrelid <> confrelid`,
  );
  const sorted: OwnTable[] = [];
  const add = (table: OwnTable) => {
    if (sorted.includes(table)) return;
    for (const { to } of references.filter(({ from }) => from === table.name)) {
      const referred = tables.find(({ name }) => name === to);
      if (referred !== undefined) add(referred);
    }
    sorted.push(table);
  };
  for (const table of tables) add(table);
  return sorted;
}

/** All tables of the service in this database. */
export async function ownTables(db: Queryable): Promise<OwnTable[]> {
  const { rows } = await db.query<OwnTable>(
    `SELECT t.relname AS name, t.relkind = 'p' AS "isPartitioned",
            greatest(0, (SELECT sum(greatest(0, part.reltuples)) FROM pg_partition_tree(t.oid) JOIN pg_class part ON part.oid = relid))::float AS rows,
            ARRAY(SELECT attname::text FROM pg_attribute
                   WHERE attrelid = t.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND atttypid <> 'xid8'::regtype
                   ORDER BY attnum) AS columns
       FROM pg_class t
      WHERE t.relnamespace = current_schema()::regnamespace AND t.relkind IN ('r', 'p') AND NOT t.relispartition
        AND t.relname = ANY ($1)
      ORDER BY t.relname`,
    [OWN_TABLES],
  );
  return rows.map((row) => ({ ...row, rows: Number(row.rows) }));
}
