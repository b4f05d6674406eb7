import type { EachBatchPayload, KafkaMessage } from 'kafkajs';
import { backoffMs, type Log, sleep } from '#libs/kernel';
import type { LoggedEvent, PositionRecord } from '#libs/contracts';
import type { BatchBoundaries, Boundaries } from '../batch-boundaries.js';
import type { ConsumeOptions, EventBatch, Ownership } from '../event-log.js';
import type { Parking } from '../parking/parking.js';
import { fromRecord, POSITION_TYPE, toRawRecord } from './event-record.js';

const HEARTBEAT_EVERY_MS = 2_000;

/** Divides the messages of one partition into batches, handles and commits them. Lives until the next rebalance. */
export class PartitionReader {
  /** A batch that was recorded before this rebalance; undefined until it was looked up. */
  private recorded: Boundaries | null | undefined;
  /** The messages of `recorded` so far: a fetch may contain only a part of it. */
  private collected: KafkaMessage[] = [];

  constructor(
    private readonly location: { topic: string; partition: number },
    private readonly options: ConsumeOptions,
    private readonly parts: {
      boundaries: BatchBoundaries;
      log: Log;
      parking: Parking;
      stopping: AbortSignal;
      /** Called with the number of records that are not handled yet. */
      onLag: (records: number) => void;
    },
  ) {}

  /** @throws errors for the library: the group rebalances, or the broker is unreachable */
  async take(payload: EachBatchPayload): Promise<void> {
    let rest = payload.batch.messages;
    this.parts.onLag(Number(payload.batch.offsetLagLow()));
    if (this.recorded === undefined) this.recorded = await this.lookUp(rest);
    while (rest.length > 0 && this.running(payload)) {
      const { messages, range, whole } = this.cut(rest);
      rest = rest.filter((message) => Number(message.offset) > range.last);
      if (!whole) return payload.resolveOffset(messages[messages.length - 1].offset);
      const batch = { source: this.source, ...range, ...(await this.contentOf(messages)) };
      // Without events there is nothing that a repetition could store twice.
      if (!this.recorded && batch.events.length > 0) await this.record(range);
      if (!(await this.complete(batch, payload))) return;
      await this.commit(range, payload);
    }
    this.parts.onLag(Number(payload.batch.offsetLag()));
  }

  /** The next batch of the fetched messages; not `whole` while messages at the end of a recorded batch are missing. */
  private cut(rest: KafkaMessage[]): { messages: KafkaMessage[]; range: Boundaries; whole: boolean } {
    if (!this.recorded) {
      const messages = rest.slice(0, this.options.batchSize);
      return { messages, range: rangeOf(messages), whole: true };
    }
    const { last } = this.recorded;
    this.collected.push(...rest.filter((message) => Number(message.offset) <= last));
    return { messages: this.collected, range: this.recorded, whole: Number(rest[rest.length - 1].offset) >= last };
  }

  /** The recorded batch, if the partition continues inside it. */
  private async lookUp(messages: KafkaMessage[]): Promise<Boundaries | null> {
    if (!this.options.recordBoundaries) return null;
    const next = Number(messages[0].offset);
    const recorded = await this.parts.boundaries.recorded(this.boundarySource);
    if (recorded === null || recorded.last < next) return null;
    if (recorded.first <= next) return recorded;
    // The offset of the group was set back by hand.
    await this.parts.boundaries.remove(this.boundarySource, recorded);
    return null;
  }

  private async record(range: Boundaries): Promise<void> {
    if (!this.options.recordBoundaries) return;
    if (!(await this.parts.boundaries.record(this.boundarySource, range)))
      throw new Error(`another member has started a batch of ${this.boundarySource} that overlaps ${range.first}`);
  }

  /** Handles the batch until it succeeds; false if the process stops before. */
  private async complete(batch: EventBatch, payload: EachBatchPayload): Promise<boolean> {
    const isEmpty = batch.events.length === 0;
    if (isEmpty && (batch.completeTo === undefined || !this.options.positionsOnly)) return true;
    for (let failures = 1; ; failures++) {
      try {
        await this.withHeartbeats(payload, () => this.options.handle(batch, ownershipOf(payload)));
        return true;
      } catch (error) {
        this.parts.log.warn('log consumer: a batch failed and is repeated', {
          consumer: this.options.consumer,
          source: batch.source,
          first: batch.first,
          last: batch.last,
          reason: (error as Error | undefined)?.message ?? String(error),
          failures,
        });
      }
      await sleep(backoffMs(failures), this.parts.stopping);
      if (!this.running(payload)) return false;
      await payload.heartbeat();
    }
  }

  /** Sends heartbeats during a long batch. Their errors are ignored here and show at the next heartbeat outside. */
  private async withHeartbeats(payload: EachBatchPayload, work: () => Promise<void>): Promise<void> {
    const timer = setInterval(() => void payload.heartbeat().catch(() => undefined), HEARTBEAT_EVERY_MS);
    try {
      await work();
    } finally {
      clearInterval(timer);
    }
  }

  private async commit({ last }: Boundaries, payload: EachBatchPayload): Promise<void> {
    const { topic, partition } = this.location;
    // `consumer.commitOffsets` would silently do nothing once the consumer is stopping.
    await payload.commitOffsetsIfNecessary({
      topics: [{ topic, partitions: [{ partition, offset: String(last + 1) }] }],
    });
    payload.resolveOffset(String(last));
    this.recorded = null;
    this.collected = [];
    await payload.heartbeat();
  }

  private async contentOf(messages: KafkaMessage[]): Promise<Pick<EventBatch, 'events' | 'completeTo' | 'sources'>> {
    const events: LoggedEvent[] = [];
    let marker: PositionRecord | undefined;
    for (const message of messages) {
      const record = await this.parsed(message);
      if (record === null) continue;
      if (isPosition(record)) marker = record;
      else events.push(record);
    }
    return marker === undefined ? { events } : { events, completeTo: marker.position, sources: marker.partitions };
  }

  /** Null for a record that cannot be read: it is parked, because a repetition would not help. */
  private async parsed(message: KafkaMessage): Promise<LoggedEvent | PositionRecord | null> {
    try {
      return fromRecord(message);
    } catch (error) {
      const record = { source: this.source, position: Number(message.offset), record: toRawRecord(message) };
      await this.parts.parking.parkRecord(this.options.consumer, record, error);
      return null;
    }
  }

  private running(payload: EachBatchPayload): boolean {
    return !this.parts.stopping.aborted && payload.isRunning() && !payload.isStale();
  }

  private get source(): string {
    return `${this.location.topic}/${this.location.partition}`;
  }

  private get boundarySource(): string {
    return `${this.options.consumer}:${this.source}`;
  }
}

const isPosition = (record: LoggedEvent | PositionRecord): record is PositionRecord =>
  'type' in record && record.type === POSITION_TYPE;

function ownershipOf(payload: EachBatchPayload): Ownership {
  return {
    check: () => {
      if (payload.isStale()) throw new Error('the partition belongs to another member of the group');
    },
  };
}

function rangeOf(messages: KafkaMessage[]): Boundaries {
  return { first: Number(messages[0].offset), last: Number(messages[messages.length - 1].offset) };
}
