import type { Admin, Kafka } from 'kafkajs';
import { sleep, type Config } from '#libs/kernel';

const PARTITIONS = 6;
const REPLICAS = 3;
const TRIES = 20;
const RETRY_MS = 100;

/** The topic of all events, `postloft.email.events.v1` by default. */
export const eventsTopic = (config: Config): string => `${config.settings.KAFKA_TOPIC_PREFIX}email.events.v1`;

/**
 * Creates the topic if it does not exist, and returns when all its partitions respond. The number of partitions of an
 * existing topic is not changed, because that would move keys to other partitions and break their order.
 * @throws if Kafka is unreachable or refuses
 */
export async function ensureTopic(kafka: Kafka, topic: string): Promise<void> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    if (!(await admin.listTopics()).includes(topic)) {
      const { brokers } = await admin.describeCluster();
      const replicationFactor = Math.min(REPLICAS, brokers.length);
      await admin.createTopics({ topics: [{ topic, numPartitions: PARTITIONS, replicationFactor }] });
    }
    await untilPartitionsRespond(admin, topic);
  } finally {
    await admin.disconnect();
  }
}

/**
 * A broker announces itself as the leader of a new partition some milliseconds before it serves it. A batch sent in
 * between would reach only some partitions, and its repetition would store half of it twice.
 */
async function untilPartitionsRespond(admin: Admin, topic: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await admin.fetchTopicOffsets(topic);
      return;
    } catch (error) {
      if (tries === TRIES) throw error;
      await sleep(RETRY_MS);
    }
  }
}
