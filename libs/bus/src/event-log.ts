import type { LoggedEvent } from '#libs/contracts';

/**
 * A run of events in log order, all from one source. `source` is `log` (PostgreSQL) or `<topic>/<partition>` (Kafka);
 * `first` and `last` are the positions (PostgreSQL) or offsets (Kafka) of its ends, both inclusive.
 */
export interface EventBatch {
  source: string;
  first: number;
  last: number;
  /** Read-only: consumers of one process may be given the same events. */
  events: LoggedEvent[];
}

export interface ConsumeOptions {
  /** Names the position; instances of one consumer never handle the same batch at the same time. */
  consumer: string;
  /** At most this many events in one batch. */
  batchSize: number;
  /** Resolves when the batch is done for good. An error repeats the batch with back-off. */
  handle: (batch: EventBatch) => Promise<void>;
  /**
   * Writes (source, first, last) down before `handle`. A batch that was begun is then repeated with exactly the same
   * rows in the same order, also after a crash, so that `source:first-last` is good as a deduplication token.
   */
  recordBoundaries?: boolean;
  /** Milliseconds to gather a fuller batch; 0 by default. A full batch never waits. */
  linger?: number;
  /** The same while events come in crowds: an event then waits longer, and what each batch costs is shared by more. */
  crowdLinger?: number;
}

/**
 * What happened, in order, for durable consumers: every event is handled at least once, the events of one key in the
 * order of their sequence. The brand (PostgreSQL or Kafka) is chosen in `bus.module.ts`.
 */
export abstract class EventLog {
  /** Begins to consume in the background and returns; ends through `Shutdown`, stage `work`. Never rejects later. */
  abstract consume(options: ConsumeOptions): Promise<void>;
}
