import type { Consumer, Kafka } from 'kafkajs';
import { backoffMs, sleep, withTimeout, type Config, type Log } from '#libs/kernel';
import type { BatchBoundaries } from '../batch-boundaries.js';
import type { ConsumeOptions } from '../event-log.js';
import type { LogLag } from '../log-lag.js';
import type { Parking } from '../parking/parking.js';
import { kafkaClient } from './kafka-client.js';
import { PartitionReader } from './partition-reader.js';
import { ensureTopic, topicOf } from './topics.js';

/** How long a fetch waits at the broker; the default of 5 s would delay live events. */
const FETCH_WAIT_MS = 200;
/** A fetch that waits for a fuller batch returns early with so much. */
const BATCH_BYTES = 1024 * 1024;
/** The partitions of a member without heartbeats go to the other members after this time. */
const SESSION_MS = 10_000;
const REBALANCE_MS = 60_000;
const HEARTBEAT_MS = 2_000;
const LEAVE_MS = 7_000;

/** The consumer group of a consumer. */
export const groupIdOf = (config: Config, consumer: string): string =>
  `${config.settings.KAFKA_TOPIC_PREFIX}${consumer}`;

/** A consumer of the Kafka log in this process: a member of the consumer group of the same name. */
export class KafkaConsumer {
  private readonly kafka: Kafka;
  private readonly topic: string;
  private readonly groupId: string;
  private readonly stopping = new AbortController();
  private readonly readers = new Map<number, PartitionReader>();
  private loop: Promise<void> | undefined;
  private failures = 0;

  constructor(
    private readonly options: ConsumeOptions,
    private readonly parts: { config: Config; log: Log; boundaries: BatchBoundaries; lag: LogLag; parking: Parking },
  ) {
    const { config, log } = parts;
    this.kafka = kafkaClient(config, log);
    this.topic = topicOf(config, 'email.events.v1');
    this.groupId = groupIdOf(config, options.consumer);
  }

  start(): void {
    this.loop ??= this.run();
  }

  /** Waits for the batch in progress, commits it and leaves the group. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.loop;
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      try {
        await this.runMember();
      } catch (error) {
        this.failures += 1;
        this.parts.log.warn('log consumer: left the group after an error', {
          consumer: this.options.consumer,
          reason: (error as Error).message,
          failures: this.failures,
        });
        await sleep(backoffMs(this.failures), this.stopping.signal);
      }
    }
  }

  /** From joining the group to leaving it. */
  private async runMember(): Promise<void> {
    const consumer = this.kafka.consumer({
      groupId: this.groupId,
      allowAutoTopicCreation: false,
      sessionTimeout: SESSION_MS,
      rebalanceTimeout: REBALANCE_MS,
      heartbeatInterval: HEARTBEAT_MS,
      // The broker responds when there is enough, or after the wait.
      minBytes: this.options.linger ? BATCH_BYTES : 1,
      maxWaitTimeInMs: this.options.linger ?? FETCH_WAIT_MS,
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
    await ensureTopic(this.kafka, this.topic, this.parts.config);
    await consumer.connect();
    await consumer.subscribe({ topics: [this.topic], fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      eachBatch: (payload) => this.readerOf(payload.batch.partition).take(payload),
    });
  }

  /** Rejects on a crash from which the library does not recover; resolves at the stop. */
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
      // Fetched messages may belong to another member now; every partition continues from its committed offset.
      this.readers.clear();
    });
    return ended;
  }

  private readerOf(partition: number): PartitionReader {
    const known = this.readers.get(partition);
    if (known) return known;
    const reader = new PartitionReader({ topic: this.topic, partition }, this.options, {
      ...this.parts,
      stopping: this.stopping.signal,
      onLag: (records) => this.parts.lag.setPartition(this.options.consumer, partition, records),
    });
    this.readers.set(partition, reader);
    return reader;
  }

  /** Waits for the batch in progress. Limited in time: without a broker the library waits for one to disconnect. */
  private async leave(consumer: Consumer): Promise<void> {
    const disconnected = consumer.disconnect().catch(() => undefined);
    await withTimeout(disconnected, LEAVE_MS, () => undefined);
  }
}
