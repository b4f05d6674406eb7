import { TableMigration } from './table-migration.js';

/** One-click unsubscription at a link of ours. */
export class Unsubscribe0012 extends TableMigration {
  readonly name = 'Unsubscribe1700000000012';

  protected readonly forward = [
    // {mailto?}; see HostedUnsubscribe in libs/emails. Null: no link of ours.
    'ALTER TABLE emails ADD COLUMN unsubscribe jsonb',
    'ALTER TABLE recipients ADD COLUMN unsubscribed_at timestamptz',
  ];

  protected readonly back = [
    'ALTER TABLE recipients DROP COLUMN unsubscribed_at',
    'ALTER TABLE emails DROP COLUMN unsubscribe',
  ];
}
