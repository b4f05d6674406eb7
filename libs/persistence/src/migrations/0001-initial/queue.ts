/** Tables of `libs/queue` and `libs/tls-reports`: attempts and the state that delivery processes share. */
export const QUEUE = `
  CREATE TABLE attempts (
    id text COLLATE "C" NOT NULL,
    email_id text COLLATE "C" NOT NULL,
    ordinal smallint NOT NULL,
    number smallint NOT NULL,
    outcome text NOT NULL,
    phase text,
    smtp_code smallint,
    smtp_enhanced text,
    smtp_text text,
    mx text,
    ip text,
    tls text,
    cipher text,
    verified boolean,
    policy text,
    source text,
    provider text,
    -- The hosts that were tried before the one that decided, each with the reason for going on. NULL: none.
    earlier jsonb,
    started_at timestamptz NOT NULL,
    ended_at timestamptz NOT NULL,
    PRIMARY KEY (email_id, id)
  ) PARTITION BY RANGE (email_id);
  -- For readers that follow the attempts of all messages.
  CREATE INDEX attempts_id ON attempts (id);
  CREATE TABLE attempts_default PARTITION OF attempts DEFAULT;

  -- Throttling decisions that delivery processes share. source '': the source address is chosen by the operating system.
  CREATE TABLE throttling_states (
    queue text COLLATE "C" NOT NULL,
    source text COLLATE "C" NOT NULL,
    kind text NOT NULL,
    factor double precision NOT NULL,
    until timestamptz NOT NULL,
    decided_at timestamptz NOT NULL,
    words text,
    mx text,
    rule text NOT NULL,
    changed_at timestamptz NOT NULL,
    PRIMARY KEY (queue, source, kind)
  );
  CREATE INDEX throttling_states_changed ON throttling_states (changed_at);

  CREATE TABLE warmup_counts (
    source text COLLATE "C" NOT NULL,
    provider text COLLATE "C" NOT NULL,
    day date NOT NULL,
    sent integer NOT NULL,
    PRIMARY KEY (source, provider, day)
  );
  CREATE INDEX warmup_counts_day ON warmup_counts (day);

  -- MTA-STS policies of recipient domains (RFC 8461), shared until they expire.
  -- policy: {mode, mx, maxAgeSeconds}, see StsPolicy. policy_id: the id of the TXT record it was fetched for.
  CREATE TABLE sts_policies (
    domain text COLLATE "C" PRIMARY KEY,
    policy_id text NOT NULL,
    policy jsonb NOT NULL,
    fetched_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
  );
  CREATE INDEX sts_policies_expiry ON sts_policies (expires_at);

  -- TLS sessions with receiving servers by day, for the reports of RFC 8460.
  CREATE TABLE tls_results (
    day date NOT NULL,
    policy_domain text COLLATE "C" NOT NULL,
    result_hash bytea NOT NULL,
    result jsonb NOT NULL,
    sessions integer NOT NULL,
    PRIMARY KEY (day, policy_domain, result_hash)
  );

  CREATE TABLE tls_reports (
    day date NOT NULL,
    policy_domain text COLLATE "C" NOT NULL,
    state text NOT NULL CHECK (state IN ('claimed', 'sent', 'not_requested', 'failed')),
    attempts smallint NOT NULL DEFAULT 1,
    attempted_at timestamptz NOT NULL DEFAULT now(),
    detail text,
    PRIMARY KEY (day, policy_domain)
  );
`;
