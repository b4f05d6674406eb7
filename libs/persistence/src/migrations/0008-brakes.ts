/** Tables and columns of `libs/accounts` and `libs/persistence` for paused accounts and notices by mail. */
export const BRAKES = {
  name: 'Brakes1700000000008',
  statements: [
    // sending_pause: see SendingPause in libs/accounts; NULL: not paused.
    `ALTER TABLE accounts
       ADD notify_addresses text[] NOT NULL DEFAULT '{}',
       ADD sending_pause jsonb`,
    `-- Ended deliveries of live messages, by account and part of the window of ABUSE_WINDOW.
     CREATE TABLE sending_outcomes (
       account_id text COLLATE "C" NOT NULL,
       slot timestamptz NOT NULL,
       recipients bigint NOT NULL,
       hard_bounces bigint NOT NULL,
       complaints bigint NOT NULL,
       PRIMARY KEY (account_id, slot)
     ) WITH (fillfactor = 50)`,
    `CREATE INDEX accounts_paused ON accounts (id) WHERE sending_pause IS NOT NULL`,
    `-- Notices to the owners of accounts: one row per cause and day (UTC), written with the change that causes it.
     -- done_at: when it became a message, or was dropped because the account has no address.
     CREATE TABLE notices (
       account_id text COLLATE "C" NOT NULL,
       cause text COLLATE "C" NOT NULL,
       day date NOT NULL,
       kind text NOT NULL,
       facts jsonb NOT NULL,
       created_at timestamptz NOT NULL DEFAULT now(),
       due_at timestamptz NOT NULL DEFAULT now(),
       done_at timestamptz,
       PRIMARY KEY (account_id, cause, day)
     )`,
    `CREATE INDEX notices_due ON notices (due_at) WHERE done_at IS NULL`,
    `CREATE INDEX notices_age ON notices (created_at)`,
    `CREATE INDEX webhooks_failing ON webhooks (failing_since) WHERE failing_since IS NOT NULL AND status = 'enabled'`,
  ],
};
