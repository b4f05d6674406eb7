import type { EachBatchPayload, KafkaMessage } from 'kafkajs';
import type { Log } from '#libs/kernel';
import type { LoggedEvent } from '#libs/contracts';
import { backOff, pause } from '../back-off.js';
import type { BatchBoundaries, Boundaries } from '../batch-boundaries.js';
import type { ConsumeOptions, EventBatch } from '../event-log.js';
import { eventOfRecord } from './event-record.js';

const HEARTBEAT_EVERY_MS = 2_000;

/** What was fetched from one partition → batches, handled, then committed. Lives from one join of the group to the next. */
export class PartitionReader {
  /** The batch that was begun before this join; undefined until it was looked up. */
  private begun: Boundaries | null | undefined;
  /** The messages of `begun` so far: the fetch sizes may have cut it into pieces. */
  private held: KafkaMessage[] = [];

  constructor(
    private readonly of: { topic: string; partition: number },
    private readonly options: ConsumeOptions,
    private readonly parts: {
      boundaries: BatchBoundaries;
      log: Log;
      stopping: AbortSignal;
      /** Told how many records of the partition are not handled yet. */
      lag: (records: number) => void;
    },
  ) {}

  /** @throws what the library must know: that the group rebalances, or that the broker is gone. */
  async take(payload: EachBatchPayload): Promise<void> {
    let rest = payload.batch.messages;
    this.parts.lag(Number(payload.batch.offsetLagLow()));
    if (this.begun === undefined) this.begun = await this.lookUp(rest);
    while (rest.length > 0 && this.running(payload)) {
      const { messages, range, whole } = this.cut(rest);
      rest = rest.filter((message) => Number(message.offset) > range.last);
      if (!whole) return payload.resolveOffset(messages[messages.length - 1].offset);
      if (!this.begun) await this.record(range);
      const batch = { source: this.source, ...range, events: this.eventsOf(messages) };
      if (!(await this.complete(batch, payload))) return;
      await this.commit(range, payload);
    }
    this.parts.lag(Number(payload.batch.offsetLag()));
  }

  /** The next batch of what was fetched; not `whole` while a batch that was begun before lacks messages at its end. */
  private cut(rest: KafkaMessage[]): { messages: KafkaMessage[]; range: Boundaries; whole: boolean } {
    if (!this.begun) {
      const messages = rest.slice(0, this.options.batchSize);
      return { messages, range: rangeOf(messages), whole: true };
    }
    const { last } = this.begun;
    this.held.push(...rest.filter((message) => Number(message.offset) <= last));
    return { messages: this.held, range: this.begun, whole: Number(rest[rest.length - 1].offset) >= last };
  }

  /** The recorded batch if the partition goes on inside it. */
  private async lookUp(messages: KafkaMessage[]): Promise<Boundaries | null> {
    if (!this.options.recordBoundaries) return null;
    const next = Number(messages[0].offset);
    const recorded = await this.parts.boundaries.recorded(this.boundarySource);
    if (recorded === null || recorded.last < next) return null;
    if (recorded.first <= next) return recorded;
    // The group was set back by hand to before it.
    await this.parts.boundaries.forget(this.boundarySource, recorded);
    return null;
  }

  private async record(range: Boundaries): Promise<void> {
    if (!this.options.recordBoundaries) return;
    if (!(await this.parts.boundaries.record(this.boundarySource, range)))
      throw new Error(`another member has begun a batch of ${this.boundarySource} that overlaps ${range.first}`);
  }

  /** Handles the batch as often as it takes; false when the process stops before it worked. */
  private async complete(batch: EventBatch, payload: EachBatchPayload): Promise<boolean> {
    if (batch.events.length === 0) return true;
    for (let failures = 1; ; failures++) {
      try {
        await this.whileAlive(payload, () => this.options.handle(batch));
        return true;
      } catch (error) {
        this.parts.log.warn('log consumer: batch failed and is repeated', {
          consumer: this.options.consumer,
          source: batch.source,
          first: batch.first,
          last: batch.last,
          reason: (error as Error | undefined)?.message ?? String(error),
          failures,
        });
      }
      await pause(backOff(failures), this.parts.stopping);
      if (!this.running(payload)) return false;
      await payload.heartbeat();
    }
  }

  /** The group must hear from us during a long batch. What it answers is seen at the next heartbeat outside. */
  private async whileAlive(payload: EachBatchPayload, work: () => Promise<void>): Promise<void> {
    const timer = setInterval(() => void payload.heartbeat().catch(() => undefined), HEARTBEAT_EVERY_MS);
    try {
      await work();
    } finally {
      clearInterval(timer);
    }
  }

  private async commit({ last }: Boundaries, payload: EachBatchPayload): Promise<void> {
    const { topic, partition } = this.of;
    // Not `consumer.commitOffsets`: that one does nothing, and says nothing, once the consumer is stopping.
    await payload.commitOffsetsIfNecessary({
      topics: [{ topic, partitions: [{ partition, offset: String(last + 1) }] }],
    });
    payload.resolveOffset(String(last));
    this.begun = null;
    this.held = [];
    await payload.heartbeat();
  }

  /** A record that cannot be read is left out and logged: repeating it would not help anybody. */
  private eventsOf(messages: KafkaMessage[]): LoggedEvent[] {
    return messages.flatMap((message) => {
      try {
        return [eventOfRecord(message)];
      } catch (error) {
        this.parts.log.error('log consumer: a record cannot be read and is left out', error, {
          consumer: this.options.consumer,
          source: this.source,
          offset: message.offset,
        });
        return [];
      }
    });
  }

  private running(payload: EachBatchPayload): boolean {
    return !this.parts.stopping.aborted && payload.isRunning() && !payload.isStale();
  }

  private get source(): string {
    return `${this.of.topic}/${this.of.partition}`;
  }

  private get boundarySource(): string {
    return `${this.options.consumer}:${this.source}`;
  }
}

function rangeOf(messages: KafkaMessage[]): Boundaries {
  return { first: Number(messages[0].offset), last: Number(messages[messages.length - 1].offset) };
}
