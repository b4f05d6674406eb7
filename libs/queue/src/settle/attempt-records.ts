import { type AttemptRecord, queueNames, RECORD_SCHEMA_VERSION } from '#libs/contracts';
import type { RelayedTable, TableRecord } from '#libs/bus';
import type { Database } from '#libs/persistence';

interface Row extends Omit<AttemptRecord, 'outcome' | 'schema_version' | 'enhanced_code' | 'started_at' | 'ended_at'> {
  outcome: 'delivered' | 'bounced' | 'answered' | 'not_sent' | 'unknown_outcome';
  smtp_enhanced: string | null;
  started_at: Date;
  ended_at: Date;
}

const LOAD = `
  SELECT a.id, e.account_id, e.domain_id, a.email_id, r.address AS recipient, a.number, a.outcome, a.smtp_code,
         a.smtp_enhanced, a.bounce_class, a.provider, a.mx, a.ip, a.tls, a.started_at, a.ended_at
    FROM unnest($1::text[]) WITH ORDINALITY AS wanted (id, place)
    JOIN attempts a ON a.id = wanted.id
    JOIN recipients r ON r.email_id = a.email_id AND r.ordinal = a.ordinal
    JOIN emails e ON e.id = a.email_id
   ORDER BY wanted.place`;

/** Delivery attempts as Kafka records. */
export const attemptRecords = (database: Database): RelayedTable => ({
  topic: 'email.attempts.v1',
  type: 'email.attempt',
  table: 'attempts',
  key: 'email_id',
  load: async (ids) => {
    const { rows } = await database.query<Row>({ name: 'attempts-records', text: LOAD, values: [ids] });
    return rows.map(toRecord);
  },
});

function toRecord(row: Row): TableRecord {
  const value: AttemptRecord = {
    id: row.id,
    account_id: row.account_id,
    domain_id: row.domain_id,
    email_id: row.email_id,
    recipient: row.recipient,
    number: row.number,
    outcome: outcomeOf(row.outcome),
    smtp_code: row.smtp_code,
    enhanced_code: row.smtp_enhanced,
    bounce_class: row.bounce_class,
    provider: providerOf(row),
    mx: row.mx,
    ip: row.ip,
    tls: row.tls,
    started_at: row.started_at.toISOString(),
    ended_at: row.ended_at.toISOString(),
    schema_version: RECORD_SCHEMA_VERSION,
  };
  return { rowId: row.id, id: row.id, key: row.email_id, value: JSON.stringify(value), at: row.ended_at.getTime() };
}

/** The stored outcome of a deferred attempt is its certainty. */
function outcomeOf(stored: Row['outcome']): AttemptRecord['outcome'] {
  return stored === 'delivered' || stored === 'bounced' ? stored : 'deferred';
}

function providerOf({ provider, mx, recipient }: Row): string | null {
  if (provider !== null) return queueNames.providerOfQueue(provider);
  return mx === null ? null : queueNames.remoteProvider(mx, recipient);
}
