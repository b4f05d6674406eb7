/** Certificates by ACME (RFC 8555), their account, and the challenges that are being answered. See docs/certificates.md. */
export const CERTIFICATES = {
  name: 'Certificates1700000000046',
  statements: [
    `CREATE TABLE acme_accounts (
       directory text PRIMARY KEY,
       key_sealed bytea NOT NULL,
       created_at timestamptz NOT NULL DEFAULT now()
     )`,
    `CREATE TABLE certificates (
       host text COLLATE "C" PRIMARY KEY,
       wanted boolean NOT NULL DEFAULT true,
       chain text,
       key_sealed bytea,
       not_after timestamptz,
       renewed_at timestamptz,
       due_at timestamptz NOT NULL DEFAULT now(),
       attempted_at timestamptz,
       failures int NOT NULL DEFAULT 0,
       last_error text,
       CHECK ((chain IS NULL) = (key_sealed IS NULL) AND (chain IS NULL) = (not_after IS NULL)
          AND (chain IS NULL) = (renewed_at IS NULL))
     )`,
    `CREATE TABLE acme_challenges (
       token text COLLATE "C" PRIMARY KEY,
       key_authorization text NOT NULL,
       created_at timestamptz NOT NULL DEFAULT now()
     )`,
  ],
};
