/**
 * Columns that no condition names. ANALYZE would collect their values each time a table has grown by a tenth: half of its
 * work for a message, and nearly all of it for the arrays of an outbox row.
 */
const WITHOUT_STATISTICS = {
  emails: [
    ...[
      'api_key_id',
      'sender',
      'header_to',
      'header_cc',
      'header_bcc',
      'reply_to',
      'tags',
      'message_id',
      'size',
      'recipient_count',
    ],
    ...['units', 'updated_at', 'delivered_at', 'lifetime_seconds', 'unsubscribe'],
  ],
  email_contents: ['format', 'body'],
  recipients: ['smtp_code', 'smtp_enhanced', 'smtp_text', 'mx', 'ip', 'tls'],
  attempts: [
    ...['smtp_code', 'smtp_enhanced', 'smtp_text', 'mx', 'ip', 'tls', 'cipher', 'verified', 'policy', 'source'],
    ...['provider', 'earlier', 'started_at', 'ended_at'],
  ],
  outbox: [
    'event_id',
    'key',
    'sequence',
    'account_id',
    'domain_id',
    'api_key_id',
    'type',
    'test',
    'created_at',
    'data',
  ],
  event_log: [
    'event_id',
    'key',
    'sequence',
    'account_id',
    'domain_id',
    'api_key_id',
    'type',
    'test',
    'created_at',
    'data',
  ],
} as const;

export const COLUMN_STATISTICS = Object.entries(WITHOUT_STATISTICS)
  .map(([table, columns]) => {
    const changes = columns.map((column) => `ALTER COLUMN ${column} SET STATISTICS 0`);
    return `ALTER TABLE ${table} ${changes.join(', ')};`;
  })
  .join('\n');
