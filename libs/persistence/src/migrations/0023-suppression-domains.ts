import { TableMigration } from './table-migration.js';

/** Under which id the list of a domain stands that its account has removed, and may have added again. */
export class SuppressionDomains0023 extends TableMigration {
  readonly name = 'SuppressionDomains1700000000023';

  protected readonly forward = [
    `CREATE TABLE suppression_domains (
       account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
       name text COLLATE "C" NOT NULL,
       domain_id text COLLATE "C" NOT NULL,
       PRIMARY KEY (account_id, name)
     )`,
  ];
  protected readonly back = ['DROP TABLE suppression_domains'];
}
