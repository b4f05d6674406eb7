import { RECORD_SCHEMA_VERSION, type WebhookDeliveryRecord } from '#libs/contracts';
import type { RelayedTable, TableRecord } from '#libs/bus';
import type { Database } from '#libs/persistence';

type Row = Omit<WebhookDeliveryRecord, 'at' | 'schema_version'> & { row_id: string; started_at: Date };

const LOAD = `
  SELECT a.id AS row_id, d.id, d.account_id, d.webhook_id, d.event_id, d.event_type, a.number AS attempt, a.status,
         a.latency_ms, a.error, a.started_at
    FROM unnest($1::text[]) WITH ORDINALITY AS wanted (id, place)
    JOIN webhook_attempts a ON a.id = wanted.id
    JOIN webhook_deliveries d ON d.id = a.delivery_id
   ORDER BY wanted.place`;

/** Requests to webhook endpoints as Kafka records. */
export const webhookDeliveryRecords = (database: Database): RelayedTable => ({
  topic: 'webhook.deliveries.v1',
  type: 'webhook.delivery',
  table: 'webhook_attempts',
  key: 'webhook_id',
  load: async (ids) => {
    const { rows } = await database.query<Row>({ name: 'webhook-attempts-records', text: LOAD, values: [ids] });
    return rows.map(toRecord);
  },
});

function toRecord({ row_id, started_at, ...row }: Row): TableRecord {
  const value: WebhookDeliveryRecord = { ...row, at: started_at.toISOString(), schema_version: RECORD_SCHEMA_VERSION };
  return { rowId: row_id, id: row.id, key: row.webhook_id, value: JSON.stringify(value), at: started_at.getTime() };
}
