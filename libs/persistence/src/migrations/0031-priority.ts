/** Columns of `libs/emails` for bulk email, which yields to the transactional email of its account. */
export const PRIORITY = {
  name: 'Priority1700000000031',
  online: [
    `ALTER TABLE emails ADD COLUMN IF NOT EXISTS priority text COLLATE "C" NOT NULL DEFAULT 'transactional'`,
    `ALTER TABLE recipients ADD COLUMN IF NOT EXISTS is_bulk boolean NOT NULL DEFAULT false`,
    {
      index: 'recipients_due_by_turn',
      on: 'recipients (domain, account_id, is_bulk, due_at) WHERE due_at IS NOT NULL AND claimed_by IS NULL AND is_due',
    },
    // Of 0001 and of development versions. Claims of version 0.1 read the new index.
    'DROP INDEX CONCURRENTLY IF EXISTS recipients_due',
    'DROP INDEX CONCURRENTLY IF EXISTS recipients_due_by_account',
  ],
};
