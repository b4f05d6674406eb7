import type { Shard } from './shards/shard.js';

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
  /** The position from which reading continues once this record and all before it are written. */
  position: P;
}

/** The result of a read. */
export interface SourceRead<P> {
  records: SourceRecord<P>[];
  /** Where reading continues once all of the records are written; null if it has not moved on. */
  upTo: P | null;
  /** The source has no more at the moment. */
  isAll: boolean;
}

/** What is copied to a topic: the event log, or the rows of a table. */
export interface RelaySource<P> {
  /** The name under which the position is stored. */
  readonly name: string;
  /** Whose partitions are written: partition n belongs to the shard with the index `n % of`. */
  readonly shard: Shard;
  /** Takes the right to copy; false while another process has it. */
  take(): Promise<boolean>;
  /**
   * Goes to the stored position. Returns over how many of the partitions of the topic keys are to be distributed; null while
   * other processes have divided the work in another way.
   */
  begin(partitions: number): Promise<number | null>;
  /** @throws if the right is lost, or if other processes may regard it as lost */
  check(): void;
  /** The next records of the shard after those that it returned before, about as many as `limit` at most. */
  read(limit: number): Promise<SourceRead<P>>;
  /** Stores a position. @throws if another process has the right */
  advance(to: P, stopping: AbortSignal): Promise<void>;
  release(): Promise<void>;
  /** Sets aside a record that the other log refuses, however often it is sent. */
  refuse(record: SourceRecord<P>, error: Error): Promise<void>;
  /** Calls back when there may be new records; returns the function that unsubscribes. */
  onNew(callback: () => void): () => void;
  /**
   * The value of a record that tells every partition of the shard how far `read` has come; null if the source has no such records. The
   * same value as before is not written again.
   */
  marker(): { type: string; value: string } | null;
}

/** The right of this process to move a position that is stored in PostgreSQL. */
export interface StoredPosition<P> {
  /** As last stored. */
  readonly position: P;
  take(): Promise<boolean>;
  begin(): Promise<void>;
  check(): void;
  advance(to: P, stopping: AbortSignal): Promise<void>;
  release(): Promise<void>;
}
