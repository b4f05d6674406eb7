import { TableMigration } from './table-migration.js';

/** What lists filter by, the options of a mail, and the answers of batches. */
export class Emails0005 extends TableMigration {
  readonly name = 'Emails1700000000005';

  protected readonly forward = [
    `ALTER TABLE emails
       ADD COLUMN sender_address text NOT NULL DEFAULT '',
       ADD COLUMN sandbox_result text,
       ADD COLUMN units smallint NOT NULL DEFAULT 0,
       ADD COLUMN lifetime_seconds integer,
       ADD COLUMN retry_of text COLLATE "C"`,
    // 64 bits of a hash of account and normalised address: a list by recipient reads one short index, in order of id.
    `ALTER TABLE recipients ADD COLUMN search_key bigint NOT NULL DEFAULT 0`,
    `UPDATE emails SET sender_address = lower(COALESCE(substring(sender from '<([^<>]*)>$'), sender))`,
    `UPDATE recipients r SET search_key =
         ('x' || encode(substring(sha256(convert_to(e.account_id || ' ' || lower(r.address), 'UTF8')) from 1 for 8), 'hex'))::bit(64)::bigint
       FROM emails e WHERE e.id = r.email_id`,
    `CREATE INDEX recipients_search ON recipients (search_key, email_id)`,
    `CREATE TABLE email_tags (
       account_id text COLLATE "C" NOT NULL,
       key text COLLATE "C" NOT NULL,
       value text COLLATE "C" NOT NULL,
       email_id text COLLATE "C" NOT NULL,
       PRIMARY KEY (account_id, key, value, email_id))`,
    `INSERT INTO email_tags (account_id, key, value, email_id)
       SELECT account_id, t.key, t.value, id FROM emails, jsonb_each_text(tags) AS t`,
    // One index for two filters: a list by one of the columns merges the few values of the other.
    `CREATE INDEX emails_by_state ON emails (account_id, status, last_event, id)`,
    // A domain is of one account, so its id says whose mails these are.
    `CREATE INDEX emails_by_domain ON emails (domain_id, id)`,
    // What tells them apart from emails_account comes first, so that nothing can take that one and sort for these.
    `CREATE INDEX emails_by_sender ON emails (sender_address, account_id, id)`,
    // The time in the id cut to 4.7 hours: matches of a prefix are sorted by id within such a slice only.
    `CREATE INDEX emails_by_subject ON emails (left(id, 9), account_id, (lower(left(subject, 64)) COLLATE "C"), id)`,
    `CREATE INDEX emails_scheduled ON emails (account_id, id) WHERE scheduled_at IS NOT NULL`,
    // Keys come and go in the order of time: a few ranges say as much as an entry for each, and cost an insert nothing.
    'DROP INDEX idempotency_keys_age',
    `CREATE INDEX idempotency_keys_age ON idempotency_keys USING brin (created_at) WITH (pages_per_range = 16, autosummarize = on)`,
  ];

  protected readonly back = [
    'DROP INDEX idempotency_keys_age',
    'CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at)',
    'DROP INDEX emails_scheduled',
    'DROP INDEX emails_by_subject',
    'DROP INDEX emails_by_sender',
    'DROP INDEX emails_by_domain',
    'DROP INDEX emails_by_state',
    'DROP TABLE email_tags',
    'DROP INDEX recipients_search',
    'ALTER TABLE recipients DROP COLUMN search_key',
    `ALTER TABLE emails DROP COLUMN sender_address, DROP COLUMN sandbox_result, DROP COLUMN units,
       DROP COLUMN lifetime_seconds, DROP COLUMN retry_of`,
  ];
}
