import { TableMigration } from './table-migration.js';

/** Restrictions of API keys, monthly allowances, leased rate tokens, and the audit log. */
export class Accounts0002 extends TableMigration {
  readonly name = 'Accounts1700000000002';

  protected readonly forward = [
    `ALTER TABLE api_keys
       ADD COLUMN scopes text[],
       ADD COLUMN domain_ids text[],
       ADD COLUMN allowed_ips text[],
       ADD COLUMN enabled boolean NOT NULL DEFAULT true,
       ALTER COLUMN permission DROP DEFAULT,
       ALTER COLUMN permission DROP NOT NULL,
       ADD CHECK ((permission IS NULL) <> (scopes IS NULL))`,
    // Counts the events of an account that belong to no mail, domain or other thing of its own.
    `ALTER TABLE accounts ADD COLUMN sequence integer NOT NULL DEFAULT 0`,
    // Only accounts with a limit have rows here: an unlimited plan costs the hot path nothing. "monthly_limit" is what
    // the last reservation was judged by, "warned" the percentage that was last told of.
    `CREATE TABLE allowances (
       account_id text COLLATE "C" NOT NULL,
       month date NOT NULL,
       monthly_limit bigint NOT NULL,
       used bigint NOT NULL,
       warned smallint NOT NULL DEFAULT 0,
       PRIMARY KEY (account_id, month)) WITH (fillfactor = 50)`,
    // The one bucket of an account from which processes lease slices of tokens.
    // Unlogged: a lease must not wait for the disk, and a bucket that a crash emptied is a full one.
    `CREATE UNLOGGED TABLE rate_buckets (
       account_id text COLLATE "C" PRIMARY KEY,
       tokens double precision NOT NULL,
       granted integer NOT NULL,
       filled_at timestamptz NOT NULL) WITH (fillfactor = 50)`,
    `CREATE TABLE audit_log (
       id text COLLATE "C" PRIMARY KEY,
       account_id text COLLATE "C" NOT NULL,
       actor text COLLATE "C" NOT NULL,
       action text NOT NULL,
       target text NOT NULL,
       facts jsonb NOT NULL DEFAULT '{}',
       created_at timestamptz NOT NULL DEFAULT now())`,
    `CREATE INDEX audit_log_account ON audit_log (account_id, id)`,
  ];

  protected readonly back = [
    'DROP TABLE audit_log',
    'DROP TABLE rate_buckets',
    'DROP TABLE allowances',
    'ALTER TABLE accounts DROP COLUMN sequence',
    // The least that a key could do before there were scopes.
    `UPDATE api_keys SET permission = 'sending_access', scopes = NULL WHERE permission IS NULL`,
    `ALTER TABLE api_keys ALTER COLUMN permission SET NOT NULL, ALTER COLUMN permission SET DEFAULT 'full_access'`,
    'ALTER TABLE api_keys DROP COLUMN scopes, DROP COLUMN domain_ids, DROP COLUMN allowed_ips, DROP COLUMN enabled',
  ];
}
