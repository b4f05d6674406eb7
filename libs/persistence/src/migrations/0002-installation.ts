/** Facts about the installation as a whole. */
export const INSTALLATION = {
  name: 'Installation1700000000002',
  statements: [
    `
  -- At most one row, written in the transaction of the first account.
  -- master_key_check is derived from MASTER_KEY, which cannot be computed from it.
  CREATE TABLE installation (
    is_only_row boolean PRIMARY KEY DEFAULT true CHECK (is_only_row),
    master_key_check bytea NOT NULL
  );
`,
  ],
};
