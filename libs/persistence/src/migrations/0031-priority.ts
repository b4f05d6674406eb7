/** Columns of `libs/emails` for bulk email, which yields to the transactional email of its account. */
export const PRIORITY = {
  name: 'Priority1700000000031',
  statements: [
    `ALTER TABLE emails ADD priority text COLLATE "C" NOT NULL DEFAULT 'transactional'`,
    `ALTER TABLE recipients ADD is_bulk boolean NOT NULL DEFAULT false`,
    `CREATE INDEX recipients_due_by_turn ON recipients (domain, account_id, is_bulk, due_at)
       WHERE due_at IS NOT NULL AND claimed_by IS NULL AND is_due`,
    `DROP INDEX recipients_due_by_account`,
  ],
};
