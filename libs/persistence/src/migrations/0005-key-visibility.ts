/**
 * API keys that are limited to domains or to test data see only their part of each list. Rows of earlier releases count as
 * live and as of no domain, so that these keys do not see them.
 */
const COLUMNS = `
  -- The restrictions of the key at the time of the request; domain_ids NULL: all domains.
  ALTER TABLE request_log ADD COLUMN test boolean NOT NULL DEFAULT false, ADD COLUMN domain_ids text[];
  -- Of the event; domain_id NULL: it belongs to no domain.
  ALTER TABLE webhook_deliveries
    ADD COLUMN test boolean NOT NULL DEFAULT false, ADD COLUMN domain_id text COLLATE "C"`;

/** Partial indexes on test rows: inserting live rows does not write them. */
const INDEXES = [
  `CREATE INDEX emails_test ON emails (account_id, id) WHERE mode = 'test'`,
  'CREATE INDEX webhook_deliveries_test ON webhook_deliveries (webhook_id, id) WHERE test',
  // With suppressions_domain, the list of a key that is limited to domains: their entries and those of the account.
  'CREATE INDEX suppressions_whole_account ON suppressions (account_id, id) WHERE domain_id IS NULL',
];

export const KEY_VISIBILITY = { name: 'KeyVisibility1700000000005', statements: [COLUMNS, ...INDEXES] };
