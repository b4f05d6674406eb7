import type { StoredContents } from '#libs/emails';
import type { Database, Queryable } from '#libs/persistence';
import { ACCOUNT_TABLES } from './account-tables.js';

/** Rows that are fetched at once. */
const ROWS = 500;

export interface ExportOptions {
  database: Database;
  contents: StoredContents;
  accountId: string;
}

/**
 * Everything that one account owns, as of one moment: one line of JSON for each row, `{"table", "row"}`. Binary columns are in
 * hexadecimal digits behind `\x`, bodies of emails in base64. Secrets are left out.
 */
export async function* exportAccount({ database, contents, accountId }: ExportOptions): AsyncGenerator<string> {
  const session = await database.session();
  try {
    await session.query('BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    await session.query('SET LOCAL statement_timeout = 0');
    await session.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    for (const [table, { where, without = [] }] of Object.entries(ACCOUNT_TABLES)) {
      const columns = without.map((name) => ` - '${name}'`).join('');
      const sql = `SELECT to_jsonb(t)${columns} AS row FROM ${table} t WHERE ${where}`;
      for await (const row of rowsOf(session, sql, accountId)) {
        yield line(table, row);
      }
    }
    for await (const id of rowsOf(
      session,
      'SELECT to_jsonb(t.id) AS row FROM emails t WHERE account_id = $1',
      accountId,
    ))
      for (const { body, ...content } of await contents.ofEmails([String(id)]))
        yield line('email_contents', { ...content, body: body.toString('base64') });
    for await (const event of rowsOf(session, EVENTS, accountId)) yield line('event_log', event);
  } finally {
    session.release();
  }
}

/** The batches of the log that have events of the account, without those of others. */
const EVENTS = `
  SELECT jsonb_build_object('id', e.event_id, 'type', e.type, 'created_at', e.created_at, 'data', e.data) AS row
    FROM event_log b
         CROSS JOIN unnest(b.event_id, b.account_id, b.type, b.created_at, b.data) AS e (event_id, account_id, type, created_at, data)
   WHERE e.account_id = $1 ORDER BY b.first_position`;

async function* rowsOf(session: Queryable, sql: string, accountId: string): AsyncGenerator {
  await session.query(`DECLARE export_rows NO SCROLL CURSOR FOR ${sql}`, [accountId]);
  for (;;) {
    const { rows } = await session.query<{ row: unknown }>(`FETCH ${ROWS} FROM export_rows`);
    for (const { row } of rows) yield row;
    if (rows.length < ROWS) break;
  }
  await session.query('CLOSE export_rows');
}

const line = (table: string, row: unknown): string => `${JSON.stringify({ table, row })}\n`;
