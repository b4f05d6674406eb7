/** Tables of `libs/suppressions`. */
export const SUPPRESSIONS = `
  -- address is in byte order, so that a prefix of an address is a range of the index.
  -- domain_id NULL: the entry applies to the whole account.
  CREATE TABLE suppressions (
    id text COLLATE "C" PRIMARY KEY,
    account_id text COLLATE "C" NOT NULL,
    domain_id text COLLATE "C",
    address text COLLATE "C" NOT NULL,
    origin text NOT NULL CHECK (origin IN ('bounce', 'complaint', 'manual', 'unsubscribe')),
    reason text,
    source_id text COLLATE "C",
    evidence jsonb,
    expires_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now()
  );
  -- NULLS NOT DISTINCT would need PostgreSQL 15. The included columns let a search by prefix read this index only.
  CREATE UNIQUE INDEX suppressions_address ON suppressions (account_id, address, (coalesce(domain_id, '')))
    INCLUDE (id, origin, domain_id, expires_at);
  CREATE INDEX suppressions_account ON suppressions (account_id, id);
  CREATE INDEX suppressions_origin ON suppressions (account_id, origin, id);
  CREATE INDEX suppressions_host ON suppressions (account_id, (split_part(address, '@', -1)), id);
  CREATE INDEX suppressions_domain ON suppressions (account_id, domain_id, id) WHERE domain_id IS NOT NULL;

  -- The domain id under which the entries of a removed domain are kept, for an account that adds the domain again.
  CREATE TABLE suppression_domains (
    account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
    name text COLLATE "C" NOT NULL,
    domain_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (account_id, name)
  );
`;
