/** Tables of `libs/accounts`. */
export const ACCOUNTS = `
  CREATE TABLE accounts (
    id text COLLATE "C" PRIMARY KEY,
    name text NOT NULL,
    standing text NOT NULL DEFAULT 'active' CHECK (standing IN ('active', 'blocked', 'overdue')),
    plan text NOT NULL DEFAULT 'free',
    -- Numbers the events that belong to the account itself, not to a message, domain or webhook.
    sequence integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now()
  );

  CREATE TABLE api_keys (
    id text COLLATE "C" PRIMARY KEY,
    account_id text COLLATE "C" NOT NULL REFERENCES accounts (id),
    name text NOT NULL,
    fingerprint bytea NOT NULL UNIQUE,
    hint text NOT NULL,
    mode text NOT NULL DEFAULT 'live' CHECK (mode IN ('live', 'test')),
    permission text,
    scopes text[],
    domain_ids text[],
    allowed_ips text[],
    enabled boolean NOT NULL DEFAULT true,
    checksum_exempt boolean NOT NULL DEFAULT false,
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    CHECK ((permission IS NULL) <> (scopes IS NULL))
  );
  CREATE INDEX api_keys_account ON api_keys (account_id);
  CREATE INDEX api_keys_checksum_exempt ON api_keys (fingerprint) WHERE checksum_exempt;

  -- Only accounts with a limit have rows here, so an unlimited plan adds no write to the accept path.
  -- monthly_limit: the limit of the last reservation. warned_percent: the last warning sent.
  CREATE TABLE allowances (
    account_id text COLLATE "C" NOT NULL,
    month date NOT NULL,
    monthly_limit bigint NOT NULL,
    used bigint NOT NULL,
    warned_percent smallint NOT NULL DEFAULT 0,
    PRIMARY KEY (account_id, month)
  ) WITH (fillfactor = 50);

  -- One bucket per account, from which processes lease tokens.
  -- Unlogged: a lease does not wait for the disk, and a bucket lost in a crash counts as full.
  -- granted: the tokens of the last lease, stored because UPDATE can return only columns of the row.
  CREATE UNLOGGED TABLE rate_buckets (
    account_id text COLLATE "C" PRIMARY KEY,
    tokens double precision NOT NULL,
    granted integer NOT NULL,
    filled_at timestamptz NOT NULL
  ) WITH (fillfactor = 50);

  CREATE TABLE audit_log (
    id text COLLATE "C" PRIMARY KEY,
    account_id text COLLATE "C" NOT NULL,
    actor text COLLATE "C" NOT NULL,
    action text NOT NULL,
    target text NOT NULL,
    details jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX audit_log_account ON audit_log (account_id, id);

  -- One row per authenticated API request; never a body, a key or an address.
  CREATE TABLE request_log (
    id text COLLATE "C" NOT NULL,
    account_id text COLLATE "C" NOT NULL,
    api_key_id text COLLATE "C" NOT NULL,
    request_id text COLLATE "C" NOT NULL,
    method text NOT NULL,
    path text NOT NULL,
    status smallint NOT NULL,
    error text,
    user_agent text,
    ip text,
    latency_ms integer NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, id)
  ) PARTITION BY RANGE (id);
  -- Errors are few: without this index a search for them would read every row of the account.
  CREATE INDEX request_log_errors ON request_log (account_id, (status / 100), id) WHERE status >= 400;
  CREATE TABLE request_log_default PARTITION OF request_log DEFAULT;
`;
