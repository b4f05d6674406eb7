import { TableMigration } from './table-migration.js';

/** An attempt may stand at several hosts: those before the one that decided, with what kept it from staying there. */
export class EarlierHosts0022 extends TableMigration {
  readonly name = 'EarlierHosts1700000000022';

  protected readonly forward = ['ALTER TABLE attempts ADD COLUMN earlier jsonb'];
  protected readonly back = ['ALTER TABLE attempts DROP COLUMN earlier'];
}
