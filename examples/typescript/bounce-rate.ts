/**
 * Bounce rate by mailbox provider and hour, from the topic of events.
 *
 *   npm install
 *   KAFKA_BROKERS=localhost:9092 npm start
 *
 * Reads from the beginning of the topic to its present end, prints one line per provider and hour, and ends.
 */
import { randomUUID } from 'node:crypto';
import { Kafka, logLevel, type KafkaMessage } from 'kafkajs';

const brokers = (process.env['KAFKA_BROKERS'] ?? 'localhost:9092').split(',');
const topic = `${process.env['KAFKA_TOPIC_PREFIX'] ?? 'postloft.'}email.events.v1`;

/** The fields that this program uses; asyncapi.yaml describes all. */
interface EventRecord {
  id: string;
  type: string;
  created_at: string;
  mode: 'live' | 'test';
  /** Absent if no host replied. */
  provider?: string;
}

interface Counts {
  delivered: number;
  bounced: number;
}

const seen = new Set<string>();
const hours = new Map<string, Counts>();

function count(message: KafkaMessage): void {
  // The header is enough to skip most records without parsing them.
  const type = message.headers?.['event-type']?.toString();
  if (type !== 'email.delivered' && type !== 'email.bounced') return;
  const record = JSON.parse(String(message.value)) as EventRecord;
  // Records may come twice. A program that runs for long keeps the ids in its database, beside what it counts.
  if (seen.has(record.id) || record.mode === 'test') return;
  seen.add(record.id);
  const hour = `${record.created_at.slice(0, 13)}:00Z`;
  const key = `${hour} ${record.provider ?? 'none'}`;
  const counts = hours.get(key) ?? { delivered: 0, bounced: 0 };
  counts[type === 'email.bounced' ? 'bounced' : 'delivered'] += 1;
  hours.set(key, counts);
}

function print(): void {
  console.log('hour provider delivered bounced bounce_rate');
  for (const [key, { delivered, bounced }] of [...hours].sort(([a], [b]) => (a < b ? -1 : 1)))
    console.log(`${key} ${delivered} ${bounced} ${(bounced / (delivered + bounced)).toFixed(4)}`);
}

const kafka = new Kafka({ clientId: 'bounce-rate', brokers, logLevel: logLevel.ERROR });

/** Partitions that are not read to their end yet, with the offset of the end. */
async function openPartitions(): Promise<Map<number, bigint>> {
  const admin = kafka.admin();
  await admin.connect();
  const offsets = await admin.fetchTopicOffsets(topic);
  await admin.disconnect();
  return new Map(
    offsets
      .filter(({ low, high }) => BigInt(low) < BigInt(high))
      .map(({ partition, high }) => [partition, BigInt(high)]),
  );
}

const open = await openPartitions();
const consumer = kafka.consumer({ groupId: `bounce-rate-${randomUUID()}`, maxWaitTimeInMs: 500 });
await consumer.connect();
await consumer.subscribe({ topic, fromBeginning: true });
await new Promise<void>((resolve) => {
  if (open.size === 0) return resolve();
  void consumer.run({
    // Nothing is stored, so the next run begins at the beginning again. A program that stores what it counts commits the
    // offset in the same transaction, or afterwards.
    autoCommit: false,
    eachBatch: async ({ batch }) => {
      for (const message of batch.messages) count(message);
      if (BigInt(batch.lastOffset()) + 1n >= (open.get(batch.partition) ?? 0n)) open.delete(batch.partition);
      if (open.size === 0) resolve();
    },
  });
});
await consumer.disconnect();
print();
