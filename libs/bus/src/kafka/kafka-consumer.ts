import type { Consumer, Kafka } from 'kafkajs';
import type { Config, Log } from '#libs/kernel';
import { backOff, pause } from '../back-off.js';
import type { BatchBoundaries } from '../batch-boundaries.js';
import type { ConsumeOptions } from '../event-log.js';
import type { LogLag } from '../log-lag.js';
import { ensureTopic, eventsTopic } from './events-topic.js';
import { kafkaClient } from './kafka-client.js';
import { PartitionReader } from './partition-reader.js';

/** How long a fetch may wait at the broker; the library's 5 s would hold live events back. */
const FETCH_WAIT_MS = 200;
const GATHER_BYTES = 1024 * 1024;
/** After this long without a heartbeat the partitions of a dead process go to the others, and it may itself come back. */
const SESSION_MS = 10_000;
const REBALANCE_MS = 60_000;
const HEARTBEAT_MS = 2_000;
const LEAVE_MS = 7_000;

/** One consumer of the Kafka log in this process: a member of the consumer group that bears its name. */
export class KafkaConsumer {
  private readonly kafka: Kafka;
  private readonly topic: string;
  private readonly groupId: string;
  private readonly stopping = new AbortController();
  private readonly readers = new Map<number, PartitionReader>();
  private loop: Promise<void> | undefined;
  private failures = 0;

  constructor(
    private readonly of: ConsumeOptions,
    private readonly parts: { config: Config; log: Log; boundaries: BatchBoundaries; lag: LogLag },
  ) {
    const { config, log } = parts;
    this.kafka = kafkaClient(config, log);
    this.topic = eventsTopic(config);
    this.groupId = `${config.settings.KAFKA_TOPIC_PREFIX}${of.consumer}`;
  }

  start(): void {
    this.loop ??= this.run();
  }

  /** Takes nothing more, waits for the batch in progress, commits it and leaves the group. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.loop;
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      try {
        await this.membership();
      } catch (error) {
        this.failures += 1;
        this.parts.log.warn('log consumer: lost its place', {
          consumer: this.of.consumer,
          reason: (error as Error).message,
          failures: this.failures,
        });
        await pause(backOff(this.failures), this.stopping.signal);
      }
    }
  }

  /** From joining the group to the end of it. */
  private async membership(): Promise<void> {
    const consumer = this.kafka.consumer({
      groupId: this.groupId,
      allowAutoTopicCreation: false,
      sessionTimeout: SESSION_MS,
      rebalanceTimeout: REBALANCE_MS,
      heartbeatInterval: HEARTBEAT_MS,
      // The broker gathers: it answers when there is enough, or after the wait.
      minBytes: this.of.linger ? GATHER_BYTES : 1,
      maxWaitTimeInMs: this.of.linger ?? FETCH_WAIT_MS,
    });
    try {
      const ended = this.ended(consumer);
      const joined = this.join(consumer);
      joined.catch(() => undefined);
      await Promise.race([ended, joined]);
      await ended;
    } finally {
      await this.leave(consumer);
    }
  }

  private async join(consumer: Consumer): Promise<void> {
    await ensureTopic(this.kafka, this.topic);
    await consumer.connect();
    await consumer.subscribe({ topics: [this.topic], fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      eachBatch: (payload) => this.readerOf(payload.batch.partition).take(payload),
    });
  }

  /** Rejects at a crash from which the library does not come back, resolves at the stop. */
  private ended(consumer: Consumer): Promise<void> {
    const ended = new Promise<void>((resolve, reject) => {
      this.stopping.signal.addEventListener('abort', () => resolve(), { once: true });
      consumer.on(consumer.events.CRASH, ({ payload: { error, restart } }) => {
        if (!restart) reject(error);
      });
    });
    ended.catch(() => undefined);
    consumer.on(consumer.events.GROUP_JOIN, () => {
      this.failures = 0;
      // What was fetched before may be another member's now; all partitions go on from their committed offset.
      this.readers.clear();
    });
    return ended;
  }

  private readerOf(partition: number): PartitionReader {
    const known = this.readers.get(partition);
    if (known) return known;
    const reader = new PartitionReader({ topic: this.topic, partition }, this.of, {
      ...this.parts,
      stopping: this.stopping.signal,
      lag: (records) => this.parts.lag.ofPartition(this.of.consumer, partition, records),
    });
    this.readers.set(partition, reader);
    return reader;
  }

  /** Waits for the batch in progress. Bounded: without a broker the library waits for one before it disconnects. */
  private async leave(consumer: Consumer): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, LEAVE_MS);
    });
    await Promise.race([consumer.disconnect().catch(() => undefined), late]);
    clearTimeout(timer);
  }
}
