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
  /** The records of these rows in the same order, without those that no longer exist. */
  load(ids: readonly string[]): Promise<TableRecord[]>;
}

/** Copies the rows of a table to a topic of their own, if the service has Kafka. */
export abstract class TableRelay {
  /** Begins in the background; ends through `Shutdown`. Any number of processes may copy a table: one does. */
  abstract start(table: RelayedTable): void;
}
