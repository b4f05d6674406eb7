/** Columns and indexes of `libs/emails` for claims that take turns between accounts, and for held mail. */
const UNSETTLED = [
  't.due_at IS NOT NULL AND t.claimed_by IS NULL AND t.is_due IS NULL',
  't.due_at IS NOT NULL AND t.claimed_by IS NULL AND t.is_due',
  't.claimed_by IS NOT NULL',
];

export const ACCOUNT_TURNS = {
  name: 'AccountTurns1700000000030',
  online: [
    // '' for recipients that were settled before this migration, or come from a program of version 0.1: these take turns together.
    `ALTER TABLE recipients ADD COLUMN IF NOT EXISTS account_id text COLLATE "C" NOT NULL DEFAULT ''`,
    // One step per partial index, so that none reads many settled recipients.
    ...UNSETTLED.map((only) => ({
      table: 'recipients',
      key: ['email_id', 'ordinal'],
      only,
      set: `UPDATE recipients t SET account_id = e.account_id FROM emails e
             WHERE BATCH AND e.id = t.email_id AND t.account_id = ''`,
    })),
    // is_due is false while mail is held because its account may not send: no index of due mail contains it.
    {
      index: 'recipients_held',
      on: 'recipients (account_id, expires_at) WHERE due_at IS NOT NULL AND claimed_by IS NULL AND NOT is_due',
    },
  ],
};
