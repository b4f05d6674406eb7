/** The first account and user of an installation, who made an API key, and messages of invitations. */
export const PEOPLE = {
  name: 'People1700000000019',
  statements: [
    `-- first_account_id: the account whose administrators operate the service. first_user_id: its first owner. An id says when
     -- a row was made by the clock of one machine, so the smallest one is not the first for ever.
     ALTER TABLE installation
       ADD first_account_id text COLLATE "C",
       ADD first_user_id text COLLATE "C"`,
    `UPDATE installation
        SET first_account_id = (SELECT min(id) FROM accounts),
            first_user_id = (SELECT min(user_id) FROM memberships
                              WHERE account_id = (SELECT min(id) FROM accounts) AND role = 'owner')`,
    `-- The API key or user that created it; NULL: the operator, or a key from before this column whose audit entry is gone.
     ALTER TABLE api_keys ADD created_by text COLLATE "C"`,
    `UPDATE api_keys k SET created_by = a.actor FROM audit_log a
      WHERE a.account_id = k.account_id AND a.target = k.id AND a.action = 'api_key.created'`,
    'CREATE INDEX api_keys_created_by ON api_keys (created_by)',
    `-- The invitations sent within a day, for their limits. address_hash: SHA-256 of the normalised address.
     CREATE TABLE invitation_messages (
       account_id text COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
       address_hash bytea NOT NULL,
       network text NOT NULL,
       sent_at timestamptz NOT NULL DEFAULT now()
     )`,
  ],
};
