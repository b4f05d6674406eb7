import { TableMigration } from './table-migration.js';

/** Rotation, filters and failure state of endpoints, and the log of every attempt. */
export class Webhooks0006 extends TableMigration {
  readonly name = 'Webhooks1700000000006';

  protected readonly forward = [
    `ALTER TABLE webhooks
       ADD COLUMN flavour text NOT NULL DEFAULT 'native' CHECK (flavour IN ('native', 'resend')),
       ADD COLUMN domain_ids text[],
       ADD COLUMN previous_secret_sealed bytea,
       ADD COLUMN previous_secret_until timestamptz,
       ADD COLUMN failing_since timestamptz,
       ADD COLUMN disabled_reason text,
       ADD COLUMN sequence integer NOT NULL DEFAULT 0,
       ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now()`,
    `CREATE TABLE webhook_attempts (
       id text COLLATE "C" PRIMARY KEY,
       delivery_id text COLLATE "C" NOT NULL,
       webhook_id text COLLATE "C" NOT NULL,
       number integer NOT NULL,
       status integer,
       error text,
       latency_ms integer NOT NULL,
       answer text,
       started_at timestamptz NOT NULL)`,
    // Attempts before the last replay: from there the ladder begins anew, while attempts go on counting.
    `ALTER TABLE webhook_deliveries ALTER attempts TYPE integer, ADD COLUMN ladder_base integer NOT NULL DEFAULT 0`,
    `CREATE INDEX webhook_attempts_delivery ON webhook_attempts (delivery_id, id)`,
    `CREATE INDEX webhook_deliveries_webhook ON webhook_deliveries (webhook_id, id)`,
    `CREATE INDEX webhook_deliveries_filtered ON webhook_deliveries (webhook_id, status, event_type, id)`,
    `CREATE INDEX webhook_deliveries_age ON webhook_deliveries (created_at)`,
  ];

  protected readonly back = [
    'DROP INDEX webhook_deliveries_age',
    'DROP INDEX webhook_deliveries_filtered',
    'DROP INDEX webhook_deliveries_webhook',
    'ALTER TABLE webhook_deliveries ALTER attempts TYPE smallint, DROP COLUMN ladder_base',
    'DROP TABLE webhook_attempts',
    `ALTER TABLE webhooks DROP COLUMN flavour, DROP COLUMN domain_ids, DROP COLUMN previous_secret_sealed,
       DROP COLUMN previous_secret_until, DROP COLUMN failing_since, DROP COLUMN disabled_reason, DROP COLUMN sequence,
       DROP COLUMN updated_at`,
  ];
}
