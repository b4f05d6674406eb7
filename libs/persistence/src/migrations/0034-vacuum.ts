/**
 * When tables are vacuumed from which rows are deleted in batches, of `libs/emails` and `libs/webhooks`. By default that is when a
 * fifth of the rows is dead: after 18 of 90 days, whose pages and index entries cannot be used again until then.
 */
const VACUUMED = [
  ...['emails', 'recipients', 'email_tags', 'recipient_visits', 'search_segments', 'idempotency_keys'],
  ...['webhook_deliveries', 'webhook_attempts'],
];

export const VACUUM = {
  name: 'Vacuum1700000000034',
  statements: VACUUMED.map(
    (table) => `ALTER TABLE ${table} SET (autovacuum_vacuum_scale_factor = 0.03, autovacuum_vacuum_cost_limit = 2000)`,
  ),
};
