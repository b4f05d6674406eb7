import { TableMigration } from './table-migration.js';

/** Entries that count for one domain only, what caused an entry, and what the filters of the list need. */
export class Suppressions0004 extends TableMigration {
  readonly name = 'Suppressions1700000000004';

  protected readonly forward = [
    `ALTER TABLE suppressions DROP CONSTRAINT suppressions_account_id_address_key`,
    // In byte order, so that the beginning of an address is a range of the index.
    `ALTER TABLE suppressions
       ALTER COLUMN address TYPE text COLLATE "C",
       ADD COLUMN domain_id text COLLATE "C",
       ADD COLUMN evidence jsonb`,
    // NULL is the whole account; NULLS NOT DISTINCT would need PostgreSQL 15. A search by the beginning of an address
    // reads nothing but this index before it knows which entries it shows.
    `CREATE UNIQUE INDEX suppressions_address ON suppressions (account_id, address, (coalesce(domain_id, '')))
       INCLUDE (id, origin, domain_id, expires_at)`,
    `CREATE INDEX suppressions_account ON suppressions (account_id, id)`,
    `CREATE INDEX suppressions_origin ON suppressions (account_id, origin, id)`,
    `CREATE INDEX suppressions_host ON suppressions (account_id, (split_part(address, '@', 2)), id)`,
    `CREATE INDEX suppressions_domain ON suppressions (account_id, domain_id, id) WHERE domain_id IS NOT NULL`,
  ];

  protected readonly back = [
    'DROP INDEX suppressions_domain',
    'DROP INDEX suppressions_host',
    'DROP INDEX suppressions_origin',
    'DROP INDEX suppressions_account',
    'DROP INDEX suppressions_address',
    'DELETE FROM suppressions WHERE domain_id IS NOT NULL',
    'ALTER TABLE suppressions ALTER COLUMN address TYPE text COLLATE "default"',
    'ALTER TABLE suppressions ADD UNIQUE (account_id, address)',
    'ALTER TABLE suppressions DROP COLUMN domain_id, DROP COLUMN evidence',
  ];
}
