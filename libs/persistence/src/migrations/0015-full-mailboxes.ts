import { TableMigration } from './table-migration.js';

/** Mailboxes that refused mail for want of room, until they are suppressed for a while or take mail again. */
export class FullMailboxes0015 extends TableMigration {
  readonly name = 'FullMailboxes1700000000015';

  protected readonly forward = [
    // `recipient_key` as `recipients.search_key`; `emails`: the first three mails that were refused.
    `CREATE TABLE full_mailboxes (
       account_id text COLLATE "C" NOT NULL,
       recipient_key bigint NOT NULL,
       emails text[] NOT NULL,
       first_at timestamptz NOT NULL,
       last_at timestamptz NOT NULL,
       PRIMARY KEY (account_id, recipient_key))`,
    'CREATE INDEX full_mailboxes_age ON full_mailboxes (last_at)',
  ];

  protected readonly back = ['DROP TABLE full_mailboxes'];
}
