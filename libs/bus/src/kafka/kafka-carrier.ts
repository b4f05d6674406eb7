import type { Kafka, Message, Producer } from 'kafkajs';
import type { Config, Log, Shutdown } from '#libs/kernel';
import type { EventBatch, EventLog } from '../event-log.js';
import { eventRecord } from './event-record.js';
import { ensureTopic, eventsTopic } from './events-topic.js';
import { kafkaClient } from './kafka-client.js';

const BATCH_SIZE = 500;
/** Brokers refuse more than 1 MiB for one partition at once (message.max.bytes), and for ever. */
const MOST_BYTES = 700_000;
/** Key and headers of a record, roughly. */
const HEADER_BYTES = 500;
const ALL_REPLICAS = -1;
/** A send that began before the stop may still end well; then the process goes without it and repeats it later. */
const LAST_SEND_MS = 3_000;

/**
 * Carries the PostgreSQL log to Kafka, as one consumer of it: its position is kept in PostgreSQL and moves after all
 * in-sync replicas have the batch. A batch may be carried twice (its events keep their `event-id`), never out of order:
 * one batch is in flight at a time.
 */
export class KafkaCarrier {
  private readonly kafka: Kafka;
  private readonly topic: string;
  private producer: Promise<Producer> | undefined;

  constructor(
    private readonly source: EventLog,
    private readonly parts: { config: Config; log: Log; shutdown: Shutdown },
  ) {
    this.kafka = kafkaClient(parts.config, parts.log);
    this.topic = eventsTopic(parts.config);
  }

  async start(): Promise<void> {
    const stopping = new Promise<void>((resolve) => {
      this.parts.shutdown.on('work', 'kafka carrier', () => resolve());
    });
    this.parts.shutdown.on('flush', 'kafka carrier', () => this.disconnect());
    await this.source.consume({
      consumer: 'kafka-carrier',
      batchSize: BATCH_SIZE,
      handle: (batch) => withinGrace(this.carry(batch), stopping),
    });
  }

  private async carry(batch: EventBatch): Promise<void> {
    try {
      const producer = await (this.producer ??= this.connect());
      for (const messages of portions(batch.events.map(eventRecord))) {
        await producer.sendBatch({ acks: ALL_REPLICAS, topicMessages: [{ topic: this.topic, messages }] });
      }
    } catch (error) {
      this.disconnect();
      throw error;
    }
  }

  /**
   * The library must not repeat a send by itself: after a partition got a new leader, its repetition leaves out what
   * belongs to a broker that has answered already, and reports success. A failed send ends here and the whole batch is
   * repeated. For the same reason `idempotent` would gain nothing: it numbers repetitions inside the library only.
   */
  private async connect(): Promise<Producer> {
    await ensureTopic(this.kafka, this.topic);
    const producer = this.kafka.producer({ allowAutoTopicCreation: false, retry: { retries: 0 } });
    await producer.connect();
    return producer;
  }

  /** Not waited for: against a broker that does not answer it takes as long as the timeouts of the library. */
  private disconnect(): void {
    this.producer?.then((one) => one.disconnect()).catch(() => undefined);
    this.producer = undefined;
  }
}

/** Runs of at most `MOST_BYTES`, in order. */
function portions(messages: Message[]): Message[][] {
  const runs: Message[][] = [];
  let room = 0;
  for (const message of messages) {
    const bytes = Buffer.byteLength(message.value ?? '') + HEADER_BYTES;
    if (bytes > room) {
      runs.push([]);
      room = MOST_BYTES;
    }
    runs[runs.length - 1].push(message);
    room -= bytes;
  }
  return runs;
}

async function withinGrace(sending: Promise<void>, stopping: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = stopping.then(
    () =>
      new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error('the process stops before Kafka answered')), LAST_SEND_MS);
      }),
  );
  late.catch(() => undefined);
  try {
    await Promise.race([sending, late]);
  } finally {
    clearTimeout(timer);
  }
}
