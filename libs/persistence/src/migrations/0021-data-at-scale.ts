/** Indexes of `libs/erasure` and `libs/emails` for batches that stay small whatever the number of rows. */
export const DATA_AT_SCALE = {
  name: 'DataAtScale1700000000021',
  statements: [
    // A claim goes from account to account.
    'CREATE INDEX erasures_turns ON erasures (account_id, id) WHERE finished_at IS NULL',
    'DROP INDEX erasures_due',
    // A BRIN index finds nothing once pages have had keys of several days. The table has the keys of one day.
    'DROP INDEX idempotency_keys_age',
    'CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at)',
  ],
};
