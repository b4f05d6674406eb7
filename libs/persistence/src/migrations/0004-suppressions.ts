import { TableMigration } from './table-migration.js';

/** Entries that count for one domain only, and what caused an entry. */
export class Suppressions0004 extends TableMigration {
  readonly name = 'Suppressions1700000000004';

  protected readonly forward = [
    `ALTER TABLE suppressions
       ADD COLUMN domain_id text COLLATE "C",
       ADD COLUMN evidence jsonb`,
    `ALTER TABLE suppressions DROP CONSTRAINT suppressions_account_id_address_key`,
    // NULL is the whole account; NULLS NOT DISTINCT would need PostgreSQL 15.
    `CREATE UNIQUE INDEX suppressions_address ON suppressions (account_id, address, (coalesce(domain_id, '')))`,
    `CREATE INDEX suppressions_account ON suppressions (account_id, id)`,
  ];

  protected readonly back = [
    'DROP INDEX suppressions_account',
    'DROP INDEX suppressions_address',
    'DELETE FROM suppressions WHERE domain_id IS NOT NULL',
    'ALTER TABLE suppressions ADD UNIQUE (account_id, address)',
    'ALTER TABLE suppressions DROP COLUMN domain_id, DROP COLUMN evidence',
  ];
}
