import { TableMigration } from './table-migration.js';

/**
 * Most mails are handed to delivery in memory and delivered at once. That one change of status is no change of an indexed
 * column any more, so the row's new version stays on its page and none of the indexes of `emails` is written again.
 */
export class DirectMails0021 extends TableMigration {
  readonly name = 'DirectMails1700000000021';

  protected readonly forward = [
    'DROP INDEX emails_by_state',
    // `direct`: delivery had the mail in memory from the moment of its commit.
    `ALTER TABLE emails
       ADD COLUMN direct boolean NOT NULL DEFAULT false,
       ADD COLUMN state text COLLATE "C" NOT NULL GENERATED ALWAYS AS (
         CASE WHEN direct AND status = last_event AND status IN ('queued', 'delivered') THEN 'direct'
              ELSE status || ' ' || last_event END) STORED`,
    'CREATE INDEX emails_by_state ON emails (account_id, state, id)',
    // Room for the second version beside the first.
    'ALTER TABLE emails SET (fillfactor = 50)',
    // Claimed and given back before anything was tried: what the state of a direct mail does not tell from a delivered one.
    `CREATE INDEX recipients_given_back ON recipients (email_id)
       WHERE claimed_by IS NULL AND due_at IS NOT NULL AND attempts = 0 AND fence > 0`,
  ];

  protected readonly back = [
    'DROP INDEX recipients_given_back',
    'ALTER TABLE emails SET (fillfactor = 80)',
    'DROP INDEX emails_by_state',
    'ALTER TABLE emails DROP COLUMN state, DROP COLUMN direct',
    'CREATE INDEX emails_by_state ON emails (account_id, status, last_event, id)',
  ];
}
