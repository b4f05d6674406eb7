import { TableMigration } from './table-migration.js';

/**
 * Two lines for mail that waits: by time until it is due, by recipient domain from then on. A claim walks from domain to
 * domain and never meets what is not due, nor the backlog of a domain that it has no room for.
 */
export class FairClaims0014 extends TableMigration {
  readonly name = 'FairClaims1700000000014';

  protected readonly forward = [
    // True: due, and in its domain's line; never false. NULL again once it is claimed.
    'ALTER TABLE recipients ADD COLUMN ripe boolean',
    'DROP INDEX recipients_due',
    `CREATE INDEX recipients_due ON recipients (due_at) WHERE due_at IS NOT NULL AND claimed_by IS NULL AND ripe IS NULL`,
    `CREATE INDEX recipients_ripe ON recipients (domain, due_at) WHERE due_at IS NOT NULL AND claimed_by IS NULL AND ripe`,
  ];

  protected readonly back = [
    'DROP INDEX recipients_ripe',
    'DROP INDEX recipients_due',
    'ALTER TABLE recipients DROP COLUMN ripe',
    'CREATE INDEX recipients_due ON recipients (due_at) WHERE due_at IS NOT NULL AND claimed_by IS NULL',
  ];
}
