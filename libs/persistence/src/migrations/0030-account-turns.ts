/** Columns and indexes of `libs/emails` for claims that take turns between accounts, and for held mail. */
const UNSETTLED = [
  'r.due_at IS NOT NULL AND r.claimed_by IS NULL AND r.is_due IS NULL',
  'r.due_at IS NOT NULL AND r.claimed_by IS NULL AND r.is_due',
  'r.claimed_by IS NOT NULL',
];

export const ACCOUNT_TURNS = {
  name: 'AccountTurns1700000000030',
  statements: [
    // '' for recipients that were settled before this migration.
    `ALTER TABLE recipients ADD account_id text COLLATE "C" NOT NULL DEFAULT ''`,
    // One statement per partial index, so that none reads the settled recipients.
    ...UNSETTLED.map(
      (condition) =>
        `UPDATE recipients r SET account_id = e.account_id FROM emails e WHERE e.id = r.email_id AND ${condition}`,
    ),
    `CREATE INDEX recipients_due_by_account ON recipients (domain, account_id, due_at)
       WHERE due_at IS NOT NULL AND claimed_by IS NULL AND is_due`,
    `DROP INDEX recipients_due`,
    // is_due is false while mail is held because its account may not send: neither index of due mail contains it.
    `CREATE INDEX recipients_held ON recipients (account_id, expires_at)
       WHERE due_at IS NOT NULL AND claimed_by IS NULL AND NOT is_due`,
  ],
};
