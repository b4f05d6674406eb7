import { TableMigration } from './table-migration.js';

/**
 * DKIM keys get rows of their own, so that a domain can have the next and the last beside the one that signs. The keys
 * that are there keep their selectors, and move with ids that they were sealed under: a private key is sealed under
 * "<domain id>:<key id>", which was "<domain id>:<algorithm>" so far.
 */
export class DomainKeys0011 extends TableMigration {
  readonly name = 'DomainKeys1700000000011';

  protected readonly forward = [
    `CREATE TABLE domain_keys (
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
       CHECK ((state = 'retired') = (retire_at IS NOT NULL)))`,
    `INSERT INTO domain_keys (domain_id, id, algorithm, selector, public_key, private_sealed, state, created_at)
       SELECT id, 'rsa', 'rsa', selector, rsa_public, rsa_private_sealed, 'active', created_at FROM domains
       UNION ALL
       SELECT id, 'ed25519', 'ed25519', selector || 'e', ed25519_public, ed25519_private_sealed, 'active', created_at
         FROM domains`,
    `ALTER TABLE domains DROP COLUMN rsa_private_sealed, DROP COLUMN rsa_public,
                         DROP COLUMN ed25519_private_sealed, DROP COLUMN ed25519_public`,
  ];

  /** The programs of before open only keys that were made by them; a domain with others has to be added anew there. */
  protected readonly back = [
    `ALTER TABLE domains ADD COLUMN rsa_private_sealed bytea, ADD COLUMN rsa_public text,
                         ADD COLUMN ed25519_private_sealed bytea, ADD COLUMN ed25519_public text`,
    `UPDATE domains d
        SET selector = r.selector, rsa_private_sealed = r.private_sealed, rsa_public = r.public_key,
            ed25519_private_sealed = e.private_sealed, ed25519_public = e.public_key
       FROM domain_keys r, domain_keys e
      WHERE r.domain_id = d.id AND r.state = 'active' AND r.algorithm = 'rsa'
        AND e.domain_id = d.id AND e.state = 'active' AND e.algorithm = 'ed25519'`,
    `ALTER TABLE domains ALTER COLUMN rsa_private_sealed SET NOT NULL, ALTER COLUMN rsa_public SET NOT NULL,
                         ALTER COLUMN ed25519_private_sealed SET NOT NULL, ALTER COLUMN ed25519_public SET NOT NULL`,
    'DROP TABLE domain_keys',
  ];
}
