import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  joinIn,
  productSources,
  stringLiterals,
  writesIn,
  type Source,
  type Write,
} from '../support/persistence/sql-statements.js';

const MIGRATIONS = fileURLToPath(new URL('../../libs/persistence/src/migrations/', import.meta.url));

/** The library that inserts, updates and deletes the rows of a table. */
const TABLE_OWNERS: Record<string, readonly string[]> = {
  certificates: ['acme_accounts', 'acme_challenges', 'certificates'],
  accounts: ['accounts', 'allowances', 'api_keys', 'audit_log', 'rate_buckets', 'request_log', 'sending_outcomes'],
  backup: ['journal_series'],
  bus: [
    'consumer_positions',
    'event_log',
    'event_log_accounts',
    'event_log_head',
    'parked_events',
    'consumer_shards',
    'relay_positions',
    'sink_batches',
    'statistics_days',
    'statistics_parts',
  ],
  doctor: ['doctor_runs'],
  domains: ['domain_keys', 'domains'],
  emails: [
    'captured_messages',
    'content_erasures',
    'domain_retention',
    'email_contents',
    'email_tags',
    'emails',
    'idempotency_keys',
    'recipient_visits',
    'recipients',
    'search_segments',
  ],
  erasure: ['erasures'],
  inbound: ['inbound_messages'],
  persistence: [
    ...[
      'clock_state',
      'clock_steps',
      'installation',
      'leases',
      'notices',
      'outbox',
      'retired_master_keys',
      'size_samples',
    ],
    'workers',
  ],
  queue: ['attempts', 'full_mailboxes', 'held_recipients', 'sts_policies', 'throttling_states', 'warmup_counts'],
  suppressions: ['suppression_domains', 'suppressions'],
  'tls-reports': ['tls_reports', 'tls_results'],
  users: ['invitation_messages', 'invitations', 'memberships', 'sessions', 'user_identities', 'user_links', 'users'],
  webhooks: [
    ...['webhook_attempts', 'webhook_deliveries', 'webhook_hours', 'webhook_replays', 'webhook_windows', 'webhooks'],
  ],
};

/** Columns that another library updates than the one that inserts the rows. */
const COLUMN_OWNERS: Record<string, Record<string, readonly string[]>> = {
  emails: { queue: ['delivered_at', 'last_event', 'sequence', 'status', 'updated_at'] },
  recipients: {
    queue: [
      ...['attempts', 'claimed_by', 'due_at', 'expires_at', 'fence', 'is_due', 'status', 'wait_reason'],
      ...['ip', 'mx', 'smtp_code', 'smtp_enhanced', 'smtp_text', 'tls'],
    ],
  },
};

/** Tables whose rows are read together only where the shape of all three is known. */
const MESSAGE_TABLES = ['attempts', 'emails', 'recipients'];
const MAY_JOIN = /^libs\/(emails\/src\/queries|queue\/src)\//;

/** Writes outside of the owner, as `file: change`, each with its reason. */
const EXCEPTIONS: Record<string, string> = {
  'libs/queue/src/claim/requeue.ts: update recipients.account_id':
    'A row of version 0.1 may be held before the migration has filled in its account.',
  'libs/emails/src/commands/unsubscribe-recipient.ts: update emails.sequence':
    'The event takes the next number under the lock of the row, and emails must not import queue.',
  'libs/emails/src/commands/unsubscribe-recipient.ts: update emails.updated_at': 'Written with emails.sequence.',
  'libs/emails/src/tracking/record-visits.ts: update emails.sequence':
    'The events take the next numbers under the lock of the row, and emails must not import queue.',
  'libs/emails/src/tracking/record-visits.ts: update emails.last_event': 'Written with emails.sequence.',
  'libs/emails/src/tracking/record-visits.ts: update emails.updated_at': 'Written with emails.sequence.',
  'libs/emails/src/commands/email-erasure.ts: update recipients.smtp_text':
    'The address and the replies that repeat it are erased in one version of the row.',
  'libs/emails/src/commands/email-erasure.ts: update recipients.wait_reason': 'Written with recipients.smtp_text.',
  'libs/queue/src/settle/settle-delivered.ts: update recipients.?':
    'The columns of the SMTP reply, from a list that is shared with attempts.',
  'libs/bus/src/postgres/sequencer.ts: delete outbox':
    'One statement moves rows from the outbox to the event log, so that none is lost or doubled.',
  'libs/stats/src/integrity/heal-days.ts: insert ?': 'Tables of ClickHouse.',
  'libs/stats/src/integrity/recover.ts: insert ?': 'Tables of ClickHouse.',
  'libs/stats/src/integrity/recover.ts: insert recipient_positions': 'A table of ClickHouse.',
  'libs/stats/src/erase-recipient.ts: insert ?': 'Tables of ClickHouse, which are found by their columns.',
  'libs/persistence/src/partitions/create-partition.ts: delete ?':
    'Rows of a day are moved unchanged from the DEFAULT partition to that of the day.',
  'libs/persistence/src/partitions/create-partition.ts: insert ?': 'The other half of the move.',
  'libs/persistence/src/partitions/kept-rows.ts: delete ?':
    'Expired rows are deleted by day, from the table that the owner names.',
  'libs/persistence/src/partitions/kept-rows.ts: insert ?':
    'Rows that are kept longer are copied unchanged out of a partition that is dropped.',
  'libs/backup/src/journal/apply-journal.ts: update event_log_head.position':
    'A restore continues the log of the snapshot with the rows of the journal.',
  'libs/backup/src/journal/apply-journal.ts: update event_log_head.moved_at': 'Written with event_log_head.position.',
  'libs/backup/src/journal/apply-journal.ts: delete outbox': 'Their events are in the log of the journal.',
  'libs/backup/src/journal/apply-journal.ts: delete suppressions':
    'A restore repeats what the journal has, before any program runs.',
  'libs/persistence/src/dump/upsert-rows.ts: insert ?': 'A restore writes rows of every table as they were.',
  'libs/queue/src/journal/held-recipients.ts: insert open_attempts': 'A temporary table.',
  'libs/persistence/src/program/master-key-rotation.ts: update ?.?':
    'Secrets are sealed with another key in the columns of SEALED_COLUMNS; what they are does not change.',
  'libs/persistence/src/worker.ts: update ?.claimed_by':
    'Claims of dead workers are released in the tables that the callers name.',
};

const libraryOf = (file: string): string => file.split('/')[1];

const tableOwner = (table: string): string | undefined =>
  Object.keys(TABLE_OWNERS).find((library) => TABLE_OWNERS[library].includes(table));

function columnOwner(table: string, column: string): string | undefined {
  const others = COLUMN_OWNERS[table] ?? {};
  return Object.keys(others).find((library) => others[library].includes(column)) ?? tableOwner(table);
}

/** The changes of one statement that its library does not own, as `file: change`. */
function foreignChanges({ file, table, kind, columns }: Write): string[] {
  const library = file.startsWith('libs/') ? libraryOf(file) : file;
  if (kind !== 'update') return tableOwner(table) === library ? [] : [`${file}: ${kind} ${table}`];
  return columns
    .filter((column) => columnOwner(table, column) !== library)
    .map((column) => `${file}: update ${table}.${column}`);
}

function violations(sources: readonly Source[]): string[] {
  const literals = stringLiterals(sources);
  const joins = literals.map((literal) => joinIn(literal, MESSAGE_TABLES)).filter(({ tables }) => tables.length > 1);
  return [
    ...literals.flatMap(writesIn).flatMap(foreignChanges),
    ...joins.filter(({ file }) => !MAY_JOIN.test(file)).map(({ file, tables }) => `${file}: join ${tables.join(', ')}`),
  ];
}

describe('SQL statements', () => {
  it('change rows and columns of their own library only, and join message tables in two places', () => {
    const found = violations(productSources());
    expect(found.filter((one) => !(one in EXCEPTIONS))).toEqual([]);
    // An exception that no statement needs any more is removed.
    expect(Object.keys(EXCEPTIONS).filter((one) => !found.includes(one))).toEqual([]);
  });

  it('read the content of messages in one place, which leaves out login mail, and for delivery', () => {
    const readers = stringLiterals(productSources())
      .filter(({ text }) => /\b(?:FROM|JOIN)\s+email_contents\b/.test(text) && !/^\s*DELETE\b/.test(text))
      .map(({ file }) => file);
    expect([...new Set(readers)].sort()).toEqual([
      'libs/emails/src/message/content/stored-contents.ts',
      'libs/emails/src/queries/stored-content.ts',
    ]);
  });

  it('change tables that have exactly one owner', () => {
    const texts = readdirSync(MIGRATIONS, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(MIGRATIONS, name), 'utf8'));
    const tables = texts.flatMap((text) =>
      [...text.matchAll(/\bCREATE (?:UNLOGGED )?TABLE (\w+)(?! PARTITION OF)\b/g)].map((m) => m[1]),
    );
    expect(Object.values(TABLE_OWNERS).flat().sort()).toEqual(tables.sort());
  });

  it.each<[what: string, file: string, text: string, reported: string[]]>([
    [
      'a status set by emails',
      'libs/emails/src/commands/x.ts',
      `tx.query('UPDATE recipients r SET status = $1, unsubscribed_at = now() WHERE r.email_id = $2')`,
      ['update recipients.status'],
    ],
    [
      'content set by the queue',
      'libs/queue/src/x.ts',
      'const SQL = `UPDATE emails AS e SET subject = lower(v.a, v.b), status = v.c FROM v WHERE e.id = v.id`;',
      ['update emails.subject'],
    ],
    [
      'a row inserted by another library',
      'libs/webhooks/src/x.ts',
      'const SQL = `WITH a AS (INSERT INTO attempts (id) VALUES ($1)) SELECT 1`;',
      ['insert attempts'],
    ],
    [
      'a row deleted by a program',
      'apps/cli/src/x.ts',
      `query("DELETE FROM domains WHERE id = $1")`,
      ['delete domains'],
    ],
    [
      'a statement behind ON CONFLICT',
      'libs/inbound/src/x.ts',
      'const TABLE = "outbox"; q(`INSERT INTO ${TABLE} (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET a = 2`);',
      ['insert outbox'],
    ],
    [
      'a table name computed at run time',
      'libs/emails/src/x.ts',
      'const clear = (table: string) => `UPDATE ${table} SET a = 1`;',
      ['update ?.a'],
    ],
    [
      'a join outside of queries and queue',
      'libs/inbound/src/x.ts',
      'q(`SELECT 1 FROM emails e JOIN recipients r ON r.email_id = e.id`)',
      ['join emails, recipients'],
    ],
    [
      'a join by a list after FROM',
      'apps/gateway/src/x.ts',
      'q(`SELECT 1 FROM recipients r, attempts a WHERE a.email_id = r.email_id`)',
      ['join attempts, recipients'],
    ],
    [
      'a join by a constant in the template',
      'libs/emails/src/commands/x.ts',
      'const STATUS = `(SELECT status FROM recipients)`; q(`SELECT ${STATUS} FROM emails`)',
      ['join emails, recipients'],
    ],
  ])('are reported: %s', (_what, file, text, reported) => {
    expect(violations([{ file, text }])).toEqual(reported.map((change) => `${file}: ${change}`));
  });

  it('may use their own columns, and join in the two places', () => {
    const text = 'q(`UPDATE recipients r SET status = e.status FROM emails e WHERE e.id = r.email_id`)';
    expect(violations([{ file: 'libs/queue/src/x.ts', text }])).toEqual([]);
    const read = 'q(`SELECT 1 FROM emails e JOIN attempts a ON a.email_id = e.id`)';
    expect(violations([{ file: 'libs/emails/src/queries/x.ts', text: read }])).toEqual([]);
  });
});
