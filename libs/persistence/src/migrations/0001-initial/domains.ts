/** Tables of `libs/domains`. */
export const DOMAINS = `
  CREATE TABLE domains (
    id text COLLATE "C" PRIMARY KEY,
    account_id text COLLATE "C" NOT NULL,
    name text NOT NULL,
    status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'active', 'failed')),
    vouched boolean NOT NULL DEFAULT false,
    selector text NOT NULL,
    open_tracking boolean NOT NULL DEFAULT false,
    click_tracking boolean NOT NULL DEFAULT false,
    tls text NOT NULL DEFAULT 'opportunistic' CHECK (tls IN ('opportunistic', 'enforced')),
    findings jsonb NOT NULL DEFAULT '[]',
    checked_at timestamptz,
    check_requested_at timestamptz,
    verified_at timestamptz,
    warning_since timestamptz,
    due_at timestamptz,
    fence integer NOT NULL DEFAULT 0,
    sequence integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, name)
  );
  CREATE UNIQUE INDEX domains_one_active_owner ON domains (name) WHERE status = 'active';
  CREATE INDEX domains_due ON domains (due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX domains_name ON domains (name);

  -- A domain can have the next and the previous DKIM key beside the active one.
  -- private_sealed is encrypted in the context '<domain id>:<key id>', so a row moved to another domain cannot be opened.
  CREATE TABLE domain_keys (
    domain_id text COLLATE "C" NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
    id text COLLATE "C" NOT NULL,
    algorithm text NOT NULL CHECK (algorithm IN ('rsa', 'ed25519')),
    selector text NOT NULL,
    public_key text NOT NULL,
    private_sealed bytea NOT NULL,
    state text NOT NULL CHECK (state IN ('next', 'active', 'retired')),
    created_at timestamptz NOT NULL DEFAULT now(),
    verified_at timestamptz,
    switched_at timestamptz,
    retire_at timestamptz,
    PRIMARY KEY (domain_id, id),
    UNIQUE (domain_id, selector),
    UNIQUE (domain_id, algorithm, state),
    CHECK ((state = 'retired') = (retire_at IS NOT NULL))
  );
`;
