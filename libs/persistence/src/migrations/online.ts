import type { QueryRunner } from 'typeorm';

/**
 * A step of a migration that runs while programs use the tables: in transactions of its own, none of which keeps a lock that
 * blocks writers for longer than a moment. A migration that was interrupted runs all steps again, so each has to be
 * repeatable: `IF NOT EXISTS`, or an `update` whose rows no longer match.
 */
export type OnlineStep = string | OnlineUpdate | OnlineIndex;

/** Runs `set` for all rows, a batch at a time in the order of the primary key. */
export interface OnlineUpdate {
  table: string;
  /** Columns of the primary key, of type text or smallint. */
  key: readonly string[];
  /**
   * The UPDATE of a batch. `BATCH` stands for the condition on the key of `t`, the table, such as
   * `UPDATE recipients t SET … FROM emails e WHERE BATCH AND e.id = t.email_id AND t.account_id = ''`.
   */
  set: string;
  /** Condition on `t` of the rows that are looked at, for which there is an index; default: all. */
  only?: string;
}

/** CREATE INDEX CONCURRENTLY; what an interrupted one has left is dropped before. */
export interface OnlineIndex {
  index: string;
  /** `recipients (domain_key, email_id) WHERE …` */
  on: string;
}

/**
 * A lock is waited for this long, because whoever needs the table meanwhile waits behind the migration. `migrate` then tries
 * again.
 */
export const LOCK_TIMEOUT = '2s';

/** Rows of one transaction: some milliseconds of row locks. */
const BATCH_ROWS = 1_000;

export async function runOnline(db: QueryRunner, steps: readonly OnlineStep[]): Promise<void> {
  try {
    for (const step of steps) {
      await db.query(`SET lock_timeout = '${LOCK_TIMEOUT}'`);
      if (typeof step === 'string') await db.query(step);
      else if ('index' in step) await createIndex(db, step);
      else await updateInBatches(db, step);
    }
  } finally {
    await db.query('RESET lock_timeout');
  }
}

async function createIndex(db: QueryRunner, { index, on }: OnlineIndex): Promise<void> {
  const rows = (await db.query('SELECT indisvalid AS "isValid" FROM pg_index WHERE indexrelid = to_regclass($1)', [
    index,
  ])) as { isValid: boolean }[];
  if (rows.some(({ isValid }) => isValid)) return;
  // Waits for other transactions to end, and blocks no writer meanwhile.
  await db.query('SET lock_timeout = 0');
  if (rows.length > 0) await db.query(`DROP INDEX CONCURRENTLY ${index}`);
  await db.query(`CREATE INDEX CONCURRENTLY ${index} ON ${on}`);
}

async function updateInBatches(db: QueryRunner, { table, key, set, only = 'true' }: OnlineUpdate): Promise<void> {
  const columns = key.map((column) => `t.${column}`).join(', ');
  let after: unknown[] | undefined;
  for (;;) {
    const values = key.map((_, i) => `$${i + 1}`).join(', ');
    const behind = after === undefined ? 'true' : `(${columns}) > (${values})`;
    const rows = (await db.query(
      `SELECT ${columns} FROM ${table} t WHERE ${behind} AND ${only} ORDER BY ${columns} LIMIT ${BATCH_ROWS}`,
      after ?? [],
    )) as Record<string, unknown>[];
    const last = rows.at(-1);
    if (last === undefined) return;
    const keys = key.map((column, i) => `$${i + 1}::${arrayTypeOf(rows[0][column])}`).join(', ');
    await db.query(
      set.replace('BATCH', `(${columns}) IN (SELECT * FROM unnest(${keys}))`),
      key.map((column) => rows.map((row) => row[column])),
    );
    if (rows.length < BATCH_ROWS) return;
    after = key.map((column) => last[column]);
  }
}

const arrayTypeOf = (value: unknown): string => (typeof value === 'number' ? 'smallint[]' : 'text[]');
