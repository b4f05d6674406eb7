// The costs of one email that the simulation uses, each measured by a benchmark or test of this repository on two virtual
// cores (docs/scaling.md has the sources). Change them here to see the consequences.

/** Events of an email: queued, sent and delivered. Opens, clicks and retries add to them. */
export const EVENTS_PER_EMAIL = 3;

/**
 * Processor time in seconds per email: of the program, and of PostgreSQL.
 * @type {Readonly<Record<'accept' | 'deliver' | 'sequence' | 'relay' | 'sink' | 'retention', { program: number, postgres: number }>>}
 */
export const STAGES = {
  accept: { program: 260e-6, postgres: 120e-6 },
  deliver: { program: 620e-6, postgres: 150e-6 },
  sequence: { program: 0, postgres: EVENTS_PER_EMAIL * 11e-6 },
  relay: { program: EVENTS_PER_EMAIL * 45e-6, postgres: EVENTS_PER_EMAIL * 2e-6 },
  sink: { program: EVENTS_PER_EMAIL * 27e-6, postgres: 0 },
  retention: { program: 0, postgres: 60e-6 },
};

/** Bytes of write-ahead log per email. */
export const WAL_BYTES = 10_500;

/**
 * Bytes on the disk of PostgreSQL per email, with indexes, by the setting that says how long they stay.
 * @type {Readonly<Record<'RETENTION_MESSAGES' | 'RETENTION_ATTEMPTS' | 'RETENTION_BODIES' | 'RETENTION_EVENTS', number>>}
 */
export const DISK_BYTES = {
  RETENTION_MESSAGES: 1_840 + 430 + 270,
  RETENTION_ATTEMPTS: 420,
  RETENTION_BODIES: 1_260,
  RETENTION_EVENTS: 1_750,
};

/** Bytes of an event in ClickHouse: single, and in all roll-ups; one replica. */
export const CLICKHOUSE_EVENT_BYTES = { single: 47, rolledUp: 50 };
/** Bytes of an event in Kafka, one replica. */
export const KAFKA_EVENT_BYTES = 800;
