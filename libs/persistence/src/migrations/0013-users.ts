/** Tables of `libs/users`: the people who use the dashboard. Secrets are stored as SHA-256; all of them are random. */
export const USERS = {
  name: 'Users1700000000013',
  statements: [
    `-- email: normalised and in lower case. password_hash: argon2id; NULL: logs in by other means.
     CREATE TABLE users (
       id text COLLATE "C" PRIMARY KEY,
       email text NOT NULL UNIQUE,
       name text NOT NULL DEFAULT '',
       password_hash text,
       created_at timestamptz NOT NULL DEFAULT now()
     );

     CREATE TABLE memberships (
       account_id text COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
       user_id text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
       role text NOT NULL CHECK (role IN ('owner', 'admin', 'developer', 'viewer')),
       created_at timestamptz NOT NULL DEFAULT now(),
       PRIMARY KEY (account_id, user_id)
     );
     CREATE INDEX memberships_user ON memberships (user_id);

     CREATE TABLE invitations (
       id text COLLATE "C" PRIMARY KEY,
       account_id text COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
       email text NOT NULL,
       role text NOT NULL CHECK (role IN ('owner', 'admin', 'developer', 'viewer')),
       token_hash bytea NOT NULL UNIQUE,
       invited_by text COLLATE "C" NOT NULL,
       created_at timestamptz NOT NULL DEFAULT now(),
       expires_at timestamptz NOT NULL,
       UNIQUE (account_id, email)
     );

     -- expires_at moves with each use, up to ends_at.
     CREATE TABLE sessions (
       id text COLLATE "C" PRIMARY KEY,
       user_id text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
       token_hash bytea NOT NULL UNIQUE,
       user_agent text,
       ip text,
       created_at timestamptz NOT NULL DEFAULT now(),
       last_seen_at timestamptz NOT NULL DEFAULT now(),
       expires_at timestamptz NOT NULL,
       ends_at timestamptz NOT NULL
     );
     CREATE INDEX sessions_user ON sessions (user_id);

     -- Tokens that work once. user_id: whom the link logs in or changes; email: the address that it proves.
     CREATE TABLE user_links (
       token_hash bytea PRIMARY KEY,
       purpose text NOT NULL CHECK (purpose IN ('login', 'password_reset', 'sign_up', 'email_change')),
       user_id text COLLATE "C" REFERENCES users (id) ON DELETE CASCADE,
       email text,
       created_at timestamptz NOT NULL DEFAULT now(),
       expires_at timestamptz NOT NULL
     );
     CREATE INDEX user_links_user ON user_links (user_id);

     -- Logins of an OpenID provider.
     CREATE TABLE user_identities (
       issuer text NOT NULL,
       subject text NOT NULL,
       user_id text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
       created_at timestamptz NOT NULL DEFAULT now(),
       PRIMARY KEY (issuer, subject)
     );
     CREATE INDEX user_identities_user ON user_identities (user_id);`,
  ],
};
