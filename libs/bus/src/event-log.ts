import type { LoggedEvent } from '#libs/contracts';

/**
 * Consecutive events of one source in log order. `source` is `log` (PostgreSQL) or `<topic>/<partition>` (Kafka); `first`
 * and `last` are positions (PostgreSQL) or offsets (Kafka), both inclusive.
 */
export interface EventBatch {
  source: string;
  first: number;
  last: number;
  /** Must not be changed: consumers of one process may share the objects. Not empty, see `positionsOnly`. */
  events: LoggedEvent[];
  /**
   * Position in the PostgreSQL log. Every event up to it that belongs to this source is in this batch or in an earlier one.
   * Absent if the batch does not tell. The lowest one of all sources holds for the whole log.
   */
  completeTo?: number;
  /** The number of sources of the log as of `completeTo`. */
  sources?: number;
}

/** The right of this process to handle a batch. A process that was frozen may have lost it. */
export interface Ownership {
  /** Called before each step with an effect that cannot be repeated without harm. @throws if the batch is not ours */
  check(): void;
}

export interface ConsumeOptions {
  /** The name under which the position is stored. Instances of one consumer never handle a batch at the same time. */
  consumer: string;
  /** The largest number of events in a batch. */
  batchSize: number;
  /** Resolves when the batch is handled durably. An error repeats the batch with backoff, or parks the events at fault. */
  handle: (batch: EventBatch, ownership: Ownership) => Promise<void>;
  /**
   * Whether an error of `handle` is about the data and not about an engine. Such an event is parked; errors of PostgreSQL
   * about values, and errors of our own code, need not be named. See `Parking`.
   */
  isRecordFault?: (error: unknown) => boolean;
  /**
   * Stores (source, first, last) before `handle`. A batch is then repeated with exactly the same events in the same order,
   * even after a crash, so that `source:first-last` can serve as a deduplication token.
   */
  recordBoundaries?: boolean;
  /** Also handles batches that have no events but `completeTo`, which come from Kafka about once a second. */
  positionsOnly?: boolean;
  /** Milliseconds to wait for a fuller batch; 0 by default. A full batch never waits. */
  linger?: number;
  /** The same during a burst of events, when more events can share the cost of a batch. */
  burstLinger?: number;
}

/**
 * The event log for durable consumers: every event is handled at least once, the events of one key in the order of their
 * sequence. `bus.module.ts` selects the implementation (PostgreSQL or Kafka).
 */
export abstract class EventLog {
  /** Starts to consume in the background and returns; ends through `Shutdown`, stage `work`. */
  abstract consume(options: ConsumeOptions): Promise<void>;

  /**
   * A position in the PostgreSQL log: this consumer, in whatever process, has handled every event up to it that reached
   * it. Events that this log has lost did not reach it.
   * @throws while the engine does not respond
   */
  abstract handledPosition(consumer: string): Promise<number>;
}
