/** A row of a table as a record. */
export interface TableRecord {
  /** The row's `id`. */
  rowId: string;
  /** The record's id; several rows may have the same. */
  id: string;
  key: string;
  /** JSON. */
  value: string;
  /** Milliseconds since 1970. */
  at: number;
}

/** A table whose rows are never updated, with the columns `id` and `tx` (the transaction that inserted the row). */
export interface RelayedTable {
  topic: 'email.attempts.v1' | 'webhook.deliveries.v1';
  /** The `event-type` of its records. */
  type: string;
  table: 'attempts' | 'webhook_attempts';
  /** The key of a row's record as an SQL expression. */
  key: string;
  /** The records of these rows in the same order, without those that no longer exist. */
  load(ids: readonly string[]): Promise<TableRecord[]>;
}

/**
 * Copies the event log and tables to topics of their own, if the service has Kafka. The processes of the programs `relay` and
 * `standalone` share the work; while none of them runs, those do it that have the records anyway. All calls begin in the
 * background, once per process, and end through `Shutdown`.
 */
export abstract class Relays {
  abstract startLog(): void;
  abstract startTable(table: RelayedTable): void;
}

/** Without Kafka. */
export class NoRelays extends Relays {
  startLog(): void {}
  startTable(): void {}
}
