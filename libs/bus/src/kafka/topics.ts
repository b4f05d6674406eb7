import type { Admin, Kafka } from 'kafkajs';
import { sleep, type Config } from '#libs/kernel';

/** The topics of the service, without prefix. */
export type TopicName = 'email.events.v1' | 'email.attempts.v1' | 'webhook.deliveries.v1';

const REPLICAS = 3;
/** With three replicas a record survives the loss of any broker only if a second one has it. */
const MIN_IN_SYNC = 2;
const TRIES = 20;
const RETRY_MS = 100;

/** `postloft.email.events.v1`, for example. */
export const topicOf = (config: Config, name: TopicName): string => `${config.settings.KAFKA_TOPIC_PREFIX}${name}`;

/**
 * Creates the topic if it does not exist, and returns its number of partitions when all of them respond. An existing topic
 * is not changed: another number of partitions would move keys to other partitions and break their order.
 * @throws if Kafka is unreachable or refuses
 */
export async function ensureTopic(kafka: Kafka, topic: string, config: Config): Promise<number> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    if (!(await admin.listTopics()).includes(topic)) await createTopic(admin, topic, config);
    return await untilPartitionsRespond(admin, topic);
  } finally {
    await admin.disconnect();
  }
}

async function createTopic(admin: Admin, topic: string, { settings }: Config): Promise<void> {
  const { brokers } = await admin.describeCluster();
  const replicationFactor = Math.min(REPLICAS, brokers.length);
  const configEntries = [{ name: 'retention.ms', value: String(settings.KAFKA_RETENTION) }];
  if (replicationFactor === REPLICAS) configEntries.push({ name: 'min.insync.replicas', value: String(MIN_IN_SYNC) });
  await admin.createTopics({
    topics: [{ topic, numPartitions: settings.KAFKA_PARTITIONS, replicationFactor, configEntries }],
  });
}

/**
 * A broker announces itself as the leader of a new partition some milliseconds before it serves it. A batch sent in
 * between would reach only some partitions, and its repetition would store half of it twice.
 */
async function untilPartitionsRespond(admin: Admin, topic: string): Promise<number> {
  for (let tries = 1; ; tries++) {
    try {
      return (await admin.fetchTopicOffsets(topic)).length;
    } catch (error) {
      if (tries === TRIES) throw error;
      await sleep(RETRY_MS);
    }
  }
}
