/** The rotation of the master key. */
export const MASTER_KEYS = {
  name: 'MasterKeys1700000000047',
  statements: [
    `-- Master keys that were replaced, sealed with the present one: links, erased addresses and unused API keys of their time.
     CREATE TABLE retired_master_keys (
       key_check bytea PRIMARY KEY,
       sealed bytea NOT NULL,
       retired_at timestamptz NOT NULL DEFAULT now()
     )`,
    // The check value of the master key of the fingerprint; NULL: made before this column.
    'ALTER TABLE api_keys ADD master_key bytea',
    // The check values of the keys that the program knows; NULL: a version before this column.
    'ALTER TABLE workers ADD master_keys bytea[]',
  ],
};
