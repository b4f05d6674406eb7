import { TableMigration } from './table-migration.js';

/**
 * Columns that are only ever shown. PostgreSQL would learn their values all the same, each time a table has grown by a
 * tenth: half the work of doing so for a mail, and nearly all of it for the lists of an outbox.
 */
const SHOWN = {
  emails: [
    ...['sender', 'header_to', 'header_cc', 'header_bcc', 'reply_to', 'tags', 'message_id', 'size', 'recipient_count'],
    ...['units', 'updated_at', 'delivered_at', 'lifetime_seconds', 'unsubscribe'],
  ],
  email_contents: ['format', 'body'],
  recipients: ['smtp_code', 'smtp_enhanced', 'smtp_text', 'mx', 'ip', 'tls'],
  attempts: [
    ...['smtp_code', 'smtp_enhanced', 'smtp_text', 'mx', 'ip', 'tls', 'cipher', 'verified', 'policy', 'source'],
    ...['provider', 'earlier', 'started_at', 'ended_at'],
  ],
  outbox_portions: ['event_id', 'key', 'sequence', 'account_id', 'domain_id', 'type', 'test', 'created_at', 'data'],
  event_log: ['data'],
} as const;

/** @param target of SET STATISTICS: 0 is none, -1 what the server has for all. */
const statistics = (target: number): string[] =>
  Object.entries(SHOWN).map(
    ([table, columns]) =>
      `ALTER TABLE ${table} ${columns.map((column) => `ALTER COLUMN ${column} SET STATISTICS ${target}`).join(', ')}`,
  );

export class NoStatistics0024 extends TableMigration {
  readonly name = 'NoStatistics1700000000024';

  protected readonly forward = statistics(0);
  protected readonly back = statistics(-1);
}
