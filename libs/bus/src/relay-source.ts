/** A record to be written to a topic of another log. */
export interface SourceRecord<P> {
  /** Of the event, attempt or delivery. */
  id: string;
  type: string;
  /** Records of one key keep their order. */
  key: string;
  /** JSON. */
  value: string;
  /** Milliseconds since 1970. */
  at: number;
  /** Where reading continues once this record and all before it are written. */
  position: P;
}

/** What is copied to a topic: the event log, or the rows of a table. */
export interface RelaySource<P> {
  /** The name under which the position is stored. */
  readonly name: string;
  /** Takes the right to copy and goes to the stored position; false while another process has it. */
  take(): Promise<boolean>;
  /** @throws if the right is lost, or if other processes may regard it as lost */
  check(): void;
  /** The next records after those that it returned before; none if there are no more at the moment. */
  read(limit: number): Promise<SourceRecord<P>[]>;
  /** Stores a position. @throws if another process has the right */
  advance(to: P, stopping: AbortSignal): Promise<void>;
  release(): Promise<void>;
  /** Sets aside a record that the other log refuses, however often it is sent. */
  refuse(record: SourceRecord<P>, error: Error): Promise<void>;
  /** Calls back when there may be new records; returns the function that unsubscribes. */
  onNew(callback: () => void): () => void;
  /**
   * The value of a record that tells every partition how far `read` has come; null if the source has no such records. The
   * same value as before is not written again.
   */
  marker(partitions: number): { type: string; value: string } | null;
}

/** The right of this process to move a position that is stored in PostgreSQL. */
export interface StoredPosition<P> {
  /** As last stored. */
  readonly position: P;
  take(): Promise<boolean>;
  check(): void;
  advance(to: P, stopping: AbortSignal): Promise<void>;
  release(): Promise<void>;
}
