import { CompressionTypes, type Kafka, type Message, type Producer } from 'kafkajs';
import { backoffMs, sleep, type Config, type Log } from '#libs/kernel';
import { partitionOf } from '../shards/partitioner.js';
import type { Shard } from '../shards/shard.js';

/** Brokers reject more than 1 MiB for one partition in a request (message.max.bytes), also when it is repeated. */
const MAX_REQUEST_BYTES = 700_000;
/** Approximate size of the key and headers of a record. */
const HEADER_BYTES = 150;
const ALL_REPLICAS = -1;
/**
 * The partition cannot be written at the moment, but everything else is as it should be: only its batch is repeated. Any
 * other error ends the writer.
 */
const TRANSIENT = new Set([
  'LEADER_NOT_AVAILABLE',
  'NOT_LEADER_FOR_PARTITION',
  'NOT_ENOUGH_REPLICAS',
  'NOT_ENOUGH_REPLICAS_AFTER_APPEND',
  'REQUEST_TIMED_OUT',
]);
/** The brokers do not take the records, however often they are sent. */
const REFUSED = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE', 'INVALID_RECORD', 'INVALID_TIMESTAMP']);

/** A record of one partition. `isWritten` becomes true when all in-sync replicas have it. */
export interface Entry {
  message: Message;
  isWritten: boolean;
  /** Sets the record aside if the brokers refuse it. */
  onRefused?: (error: Error) => Promise<void>;
}

interface Parts {
  kafka: Kafka;
  topic: string;
  config: Config;
  log: Log;
  /** Over so many partitions keys are distributed. */
  partitions: number;
  /** @throws if this process may not write any more; called before each request */
  check: () => void;
  /** Called after each request, and after a failure. */
  onProgress: () => void;
}

/**
 * Writes records to the partitions of a topic, in the order of `add`. Each partition has one batch in flight, so that a
 * batch that is repeated cannot come after a later one; partitions do not wait for each other.
 */
export class TopicWriter {
  /** The error that ended the writer. */
  failure: Error | undefined;
  /** Bytes of the records that are not written yet. */
  bytes = 0;
  private readonly queues: PartitionQueue[];
  private readonly closing = new AbortController();
  private readonly compression: CompressionTypes;

  private constructor(
    private readonly producer: Producer,
    private readonly parts: Parts,
  ) {
    this.queues = Array.from({ length: parts.partitions }, (_, partition) => new PartitionQueue(partition));
    const { KAFKA_COMPRESSION } = parts.config.settings;
    this.compression = KAFKA_COMPRESSION === 'gzip' ? CompressionTypes.GZIP : CompressionTypes.None;
  }

  /**
   * The library must not retry a send by itself: after a change of a partition's leader, its retry omits the messages for
   * brokers that have already responded, and reports success. The option `idempotent` would not help: it covers only the
   * retries inside the library.
   * @throws if Kafka is unreachable or refuses
   */
  static async open(parts: Parts): Promise<TopicWriter> {
    const producer = parts.kafka.producer({ allowAutoTopicCreation: false, retry: { retries: 0 } });
    await producer.connect();
    return new TopicWriter(producer, parts);
  }

  /** Adds a record to the partition of its key; `flush` sends it. */
  add(message: Message & { key: Buffer; value: Buffer }, onRefused?: Entry['onRefused']): Entry {
    const queue = this.queues[partitionOf(message.key, this.queues.length)];
    message.partition = queue.partition;
    return this.append(queue, message, onRefused);
  }

  /** Adds a record to every partition of a shard. */
  addToAll(message: Message & { value: Buffer }, { index, of }: Shard): void {
    for (const queue of this.queues)
      if (queue.partition % of === index) this.append(queue, { ...message, partition: queue.partition });
  }

  /** Begins to send what was added. */
  flush(): void {
    for (const queue of this.queues) if (!queue.isSending && queue.length > 0) void this.send(queue);
  }

  /** Not awaited: with a broker that does not respond it takes as long as the timeouts of the library. */
  close(): void {
    this.closing.abort();
    this.producer.disconnect().catch(() => undefined);
  }

  private append(queue: PartitionQueue, message: Message & { value: Buffer }, onRefused?: Entry['onRefused']): Entry {
    const entry: Entry = { message, isWritten: false, onRefused };
    this.bytes += sizeOf(entry);
    queue.push(entry);
    return entry;
  }

  private async send(queue: PartitionQueue): Promise<void> {
    queue.isSending = true;
    while (queue.length > 0) {
      const batch = queue.batch();
      if (!(await this.sendBatch(queue.partition, batch))) return;
      for (const entry of batch) {
        entry.isWritten = true;
        this.bytes -= sizeOf(entry);
      }
      queue.remove(batch.length);
      this.parts.onProgress();
    }
    queue.isSending = false;
  }

  /** Sends the batch until it is written; false if the writer has ended. */
  private async sendBatch(partition: number, batch: readonly Entry[]): Promise<boolean> {
    const { topic, log, check } = this.parts;
    const messages = batch.map(({ message }) => message);
    for (let failures = 1; !this.isEnded; failures++) {
      try {
        check();
        await this.producer.send({ topic, messages, acks: ALL_REPLICAS, compression: this.compression });
        return true;
      } catch (error) {
        const type = typeOf(error);
        const { message: reason } = error as Error;
        if (REFUSED.has(type)) return await this.sendParts(partition, batch, error as Error);
        if (TRANSIENT.has(type)) log.warn('kafka relay: a batch is repeated', { topic, partition, reason, failures });
        else this.fail(error as Error);
      }
      if (!this.isEnded) await sleep(backoffMs(failures), this.closing.signal);
    }
    return false;
  }

  /** Sends a refused batch by halves, until the record at fault is alone. */
  private async sendParts(partition: number, batch: readonly Entry[], error: Error): Promise<boolean> {
    if (batch.length > 1) {
      const middle = batch.length >> 1;
      const isFirstSent = await this.sendBatch(partition, batch.slice(0, middle));
      return isFirstSent && (await this.sendBatch(partition, batch.slice(middle)));
    }
    const { onRefused } = batch[0];
    try {
      if (!onRefused) throw error;
      await onRefused(error);
      return true;
    } catch (problem) {
      this.fail(problem as Error);
      return false;
    }
  }

  private get isEnded(): boolean {
    return this.failure !== undefined || this.closing.signal.aborted;
  }

  private fail(error: Error): void {
    this.failure ??= error;
    this.parts.onProgress();
  }
}

/** The records of one partition that are not written yet. */
class PartitionQueue {
  isSending = false;
  private entries: Entry[] = [];
  /** Entries before it are written. */
  private first = 0;

  constructor(readonly partition: number) {}

  get length(): number {
    return this.entries.length - this.first;
  }

  push(entry: Entry): void {
    this.entries.push(entry);
  }

  /** The first records, at least one, of at most `MAX_REQUEST_BYTES` together. */
  batch(): Entry[] {
    let bytes = sizeOf(this.entries[this.first]);
    let end = this.first + 1;
    while (end < this.entries.length && bytes + sizeOf(this.entries[end]) <= MAX_REQUEST_BYTES)
      bytes += sizeOf(this.entries[end++]);
    return this.entries.slice(this.first, end);
  }

  remove(count: number): void {
    this.first += count;
    if (this.first < this.entries.length) return;
    this.entries = [];
    this.first = 0;
  }
}

const sizeOf = ({ message }: Entry): number => (message.value as Buffer).length + HEADER_BYTES;

/** Of the protocol; empty for an error of another kind. */
function typeOf(error: unknown): string {
  const { cause = error } = error as { cause?: unknown };
  return (cause as { type?: string } | undefined)?.type ?? '';
}
