import { TableMigration } from './table-migration.js';

/** How each attempt's connection was made, and why a recipient that is due waits nevertheless. */
export class Attempts0008 extends TableMigration {
  readonly name = 'Attempts1700000000008';

  protected readonly forward = [
    `ALTER TABLE attempts
       ADD COLUMN cipher text, ADD COLUMN verified boolean, ADD COLUMN policy text, ADD COLUMN source text, ADD COLUMN provider text`,
    // What holds it back: {kind, text, words, mx}; see WaitReason in libs/mta. Cleared when it is claimed.
    'ALTER TABLE recipients ADD COLUMN wait jsonb',
  ];

  protected readonly back = [
    'ALTER TABLE recipients DROP COLUMN wait',
    `ALTER TABLE attempts
       DROP COLUMN cipher, DROP COLUMN verified, DROP COLUMN policy, DROP COLUMN source, DROP COLUMN provider`,
  ];
}
