import { TableMigration } from './table-migration.js';

/** What the domain verifier knows of each domain, and when it looks again. */
export class Domains0003 extends TableMigration {
  readonly name = 'Domains1700000000003';

  protected readonly forward = [
    `ALTER TABLE domains
       ADD COLUMN open_tracking boolean NOT NULL DEFAULT false,
       ADD COLUMN click_tracking boolean NOT NULL DEFAULT false,
       ADD COLUMN tls text NOT NULL DEFAULT 'opportunistic' CHECK (tls IN ('opportunistic', 'enforced')),
       ADD COLUMN findings jsonb NOT NULL DEFAULT '[]',
       ADD COLUMN checked_at timestamptz,
       ADD COLUMN asked_at timestamptz,
       ADD COLUMN verified_at timestamptz,
       ADD COLUMN warning_since timestamptz,
       ADD COLUMN sequence integer NOT NULL DEFAULT 0,
       ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now(),
       ADD COLUMN due_at timestamptz,
       ADD COLUMN fence integer NOT NULL DEFAULT 0`,
    `CREATE INDEX domains_due ON domains (due_at) WHERE due_at IS NOT NULL`,
    `CREATE INDEX domains_name ON domains (name)`,
  ];

  protected readonly back = [
    'DROP INDEX domains_name',
    'DROP INDEX domains_due',
    `ALTER TABLE domains
       DROP COLUMN open_tracking, DROP COLUMN click_tracking, DROP COLUMN tls, DROP COLUMN findings,
       DROP COLUMN checked_at, DROP COLUMN asked_at, DROP COLUMN verified_at, DROP COLUMN warning_since,
       DROP COLUMN sequence, DROP COLUMN updated_at, DROP COLUMN due_at, DROP COLUMN fence`,
  ];
}
