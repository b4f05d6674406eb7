import { TableMigration } from './table-migration.js';

/** MTA-STS policies of recipients' domains (RFC 8461), which hold until they run out, whoever fetched them. */
export class StsPolicies0009 extends TableMigration {
  readonly name = 'StsPolicies1700000000009';

  protected readonly forward = [
    // policy: {mode, mx, maxAgeSeconds}; see StsPolicy in libs/mta. policy_id: of the TXT record it was fetched under.
    `CREATE TABLE sts_policies (
       domain text COLLATE "C" PRIMARY KEY,
       policy_id text NOT NULL,
       policy jsonb NOT NULL,
       fetched_at timestamptz NOT NULL,
       expires_at timestamptz NOT NULL)`,
    'CREATE INDEX sts_policies_expiry ON sts_policies (expires_at)',
  ];

  protected readonly back = ['DROP TABLE sts_policies'];
}
