import type { Queryable } from '../connection/database.js';
import { quoted } from './dump-database.js';

/** Rows of one statement. */
const BATCH = 500;

interface Shape {
  columns: string[];
  key: string[];
}

/**
 * Writes rows as `row_to_json` makes them, in the place of those with the same primary key. Columns that the table does not
 * have are left out.
 */
export class RowWriter {
  private readonly shapes = new Map<string, Shape>();

  constructor(private readonly tx: Queryable) {}

  async upsert(table: string, rows: readonly object[]): Promise<void> {
    const { columns, key } = await this.shapeOf(table);
    const set = columns
      .filter((name) => !key.includes(name))
      .map((name) => `${quoted(name)} = EXCLUDED.${quoted(name)}`);
    const action = set.length === 0 ? 'NOTHING' : `UPDATE SET ${set.join(', ')}`;
    await this.write(table, rows, key.length === 0 ? '' : `ON CONFLICT (${key.map(quoted).join(', ')}) DO ${action}`);
  }

  /** Leaves rows that exist as they are. */
  async add(table: string, rows: readonly object[]): Promise<void> {
    await this.write(table, rows, 'ON CONFLICT DO NOTHING');
  }

  private async write(table: string, rows: readonly object[], onConflict: string): Promise<void> {
    const columns = (await this.shapeOf(table)).columns.map(quoted).join(', ');
    for (let at = 0; at < rows.length; at += BATCH)
      await this.tx.query(
        `INSERT INTO ${quoted(table)} (${columns}) OVERRIDING SYSTEM VALUE
         SELECT ${columns} FROM json_populate_recordset(NULL::${quoted(table)}, $1::json) ${onConflict}`,
        [JSON.stringify(rows.slice(at, at + BATCH))],
      );
  }

  private async shapeOf(table: string): Promise<Shape> {
    const known = this.shapes.get(table);
    if (known !== undefined) return known;
    const { rows } = await this.tx.query<Shape>(
      `SELECT ARRAY(SELECT attname::text FROM pg_attribute
                     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND atttypid <> 'xid8'::regtype
                     ORDER BY attnum) AS columns,
              ARRAY(SELECT attname::text FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY (indkey)
                     WHERE indrelid = $1::regclass AND indisprimary) AS key`,
      [quoted(table)],
    );
    this.shapes.set(table, rows[0]);
    return rows[0];
  }
}
