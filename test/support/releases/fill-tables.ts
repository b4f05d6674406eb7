import { readFileSync } from 'node:fs';
import pg from 'pg';

const DUMP = new URL('../../golden/schema/0001-initial.sql', import.meta.url);

/** Rows of tables that no traffic over loopback fills, beside those in the dump of the initial schema. */
const ROWS: Record<string, string> = {
  clock_steps: `INSERT INTO clock_steps VALUES ('2026-01-01 02:00:00+00', '2026-01-01 01:00:00+00')`,
  doctor_runs: `INSERT INTO doctor_runs (id, requested_by, checks, finished_at) VALUES ('doc_1', 'operator', '{engines}', now())`,
  domain_retention: `INSERT INTO domain_retention VALUES ('dom_1', 'em_0')`,
  invitation_messages: `INSERT INTO invitation_messages (account_id, address_hash, network)
    SELECT min(id), '\\xaa', '192.0.2.0' FROM accounts`,
  invitations: `INSERT INTO invitations (id, account_id, email, role, token_hash, invited_by, expires_at)
    SELECT 'inv_1', min(id), 'guest@example.net', 'viewer', '\\xbb', 'operator', '2099-01-01' FROM accounts`,
  notices: `INSERT INTO notices (account_id, cause, day, kind, facts, done_at)
    SELECT min(id), 'domain_failed dom_1', '2026-01-01', 'domain_failed', '{}', now() FROM accounts`,
  parked_events: `INSERT INTO parked_events (id, consumer, source, position, record, reason)
    VALUES ('prk_1', 'webhooks', 'event_log', 1, '{}', 'planted')`,
  recipient_visits: `INSERT INTO recipient_visits (email_id, ordinal, opens, clicks)
    SELECT min(id), 1, 2, 1 FROM emails WHERE status = 'delivered'`,
  relay_positions: `INSERT INTO relay_positions (relay, done) VALUES ('attempts', pg_current_snapshot())`,
  sending_outcomes: `INSERT INTO sending_outcomes SELECT min(id), '2026-01-01', 100, 1, 0 FROM accounts`,
  sessions: `INSERT INTO sessions (id, user_id, token_hash, expires_at, ends_at)
    SELECT 'ses_1', min(id), '\\xcc', '2099-01-01', '2099-01-01' FROM users`,
  statistics_days: `INSERT INTO statistics_days VALUES ('2026-01-01', 1, 1, 1)`,
  statistics_parts: `INSERT INTO statistics_parts (parts) VALUES ('{}')`,
  user_identities: `INSERT INTO user_identities (issuer, subject, user_id) SELECT 'https://login.example', '1', min(id) FROM users`,
  user_links: `INSERT INTO user_links (token_hash, purpose, user_id, expires_at)
    SELECT '\\xdd', 'login', min(id), '2099-01-01' FROM users`,
  webhook_replays: `INSERT INTO webhook_replays (id, webhook_id, account_id, test, from_at, status)
    SELECT 'rep_1', min(id), min(account_id), false, '2026-01-01', 'completed' FROM webhooks`,
};

/** Gives tables without rows a few. @returns their names, and the names of those that stay empty */
export async function fillEmptyTables(url: string): Promise<{ filled: string[]; empty: string[] }> {
  const client = new pg.Client(url);
  await client.connect();
  const dumped = readFileSync(DUMP, 'utf8').split('\n');
  const [filled, empty]: [string[], string[]] = [[], []];
  try {
    for (const name of await emptyTables(client)) {
      const rows = ROWS[name] ?? dumped.filter((line) => line.startsWith(`INSERT INTO public.${name} `)).join('\n');
      if (rows !== '') await client.query(rows);
      (rows === '' ? empty : filled).push(name);
    }
    // So that mail is still to be delivered whenever the data is upgraded.
    await client.query(
      `UPDATE recipients SET expires_at = '2099-01-01' WHERE due_at IS NOT NULL OR claimed_by IS NOT NULL`,
    );
    return { filled, empty };
  } finally {
    await client.end();
  }
}

async function emptyTables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY relname`,
  );
  const found: string[] = [];
  for (const { name } of rows) {
    const one = await client.query(`SELECT FROM ${name} LIMIT 1`);
    if (one.rowCount === 0) found.push(name);
  }
  return found;
}
