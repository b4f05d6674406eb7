import type { Kafka, Message, Producer } from 'kafkajs';
import { withTimeout, type Config, type Log, type Shutdown } from '#libs/kernel';
import type { EventBatch, EventLog, Ownership } from '../event-log.js';
import { toRecord } from './event-record.js';
import { ensureTopic, eventsTopic } from './events-topic.js';
import { kafkaClient } from './kafka-client.js';

/** The consumer of the PostgreSQL log that copies it. */
export const RELAY_CONSUMER = 'kafka-relay';

const BATCH_SIZE = 500;
/** Brokers reject more than 1 MiB for one partition in a request (message.max.bytes), also when it is repeated. */
const MAX_REQUEST_BYTES = 700_000;
/** Approximate size of the key and headers of a record. */
const HEADER_BYTES = 500;
const ALL_REPLICAS = -1;
/** How long a stop waits for a send in progress; afterwards the batch is repeated after the next start. */
const SEND_GRACE_MS = 3_000;

/**
 * Copies the PostgreSQL log to Kafka, as one consumer of the log: its position is stored in PostgreSQL and advances after
 * all in-sync replicas have the batch. A batch may be sent twice (its events keep their `event-id`), but never out of
 * order: one batch is in flight at a time.
 */
export class KafkaRelay {
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
    const stopping = new AbortController();
    this.parts.shutdown.on('work', 'kafka relay', () => stopping.abort());
    this.parts.shutdown.on('flush', 'kafka relay', () => this.disconnect());
    await this.source.consume({
      consumer: RELAY_CONSUMER,
      batchSize: BATCH_SIZE,
      isRecordFault: isRefusedRecord,
      handle: (batch, ownership) => withinGrace(this.relay(batch, ownership), stopping.signal),
    });
  }

  private async relay(batch: EventBatch, ownership: Ownership): Promise<void> {
    try {
      const producer = await (this.producer ??= this.connect());
      for (const messages of split(batch.events.map(toRecord))) {
        ownership.check();
        await producer.sendBatch({ acks: ALL_REPLICAS, topicMessages: [{ topic: this.topic, messages }] });
      }
    } catch (error) {
      this.disconnect();
      throw error;
    }
  }

  /**
   * The library must not retry a send by itself: after a change of a partition's leader, its retry omits the messages for
   * brokers that have already responded, and reports success. A failed send fails the whole batch, which is repeated. The
   * option `idempotent` would not help: it covers only the retries inside the library.
   */
  private async connect(): Promise<Producer> {
    await ensureTopic(this.kafka, this.topic);
    const producer = this.kafka.producer({ allowAutoTopicCreation: false, retry: { retries: 0 } });
    await producer.connect();
    return producer;
  }

  /** Not awaited: with a broker that does not respond it takes as long as the timeouts of the library. */
  private disconnect(): void {
    this.producer?.then((one) => one.disconnect()).catch(() => undefined);
    this.producer = undefined;
  }
}

/** The brokers do not take this record, however often it is sent. */
const isRefusedRecord = (error: unknown): boolean =>
  ['MESSAGE_TOO_LARGE', 'INVALID_RECORD'].includes((error as { type?: string }).type ?? '');

/** Consecutive messages of at most `MAX_REQUEST_BYTES` each. */
function split(messages: Message[]): Message[][] {
  const requests: Message[][] = [];
  let left = 0;
  for (const message of messages) {
    const bytes = Buffer.byteLength(message.value ?? '') + HEADER_BYTES;
    if (bytes > left) {
      requests.push([]);
      left = MAX_REQUEST_BYTES;
    }
    requests[requests.length - 1].push(message);
    left -= bytes;
  }
  return requests;
}

/** Fails a send that has no response some time after the stop. */
function withinGrace(sending: Promise<void>, stopping: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onStop = () => void withTimeout(sending, SEND_GRACE_MS, giveUp).catch(reject);
    if (stopping.aborted) onStop();
    else stopping.addEventListener('abort', onStop, { once: true });
    void sending.then(resolve, reject).finally(() => stopping.removeEventListener('abort', onStop));
  });
}

function giveUp(): never {
  throw new Error('the process stops before Kafka responded');
}
