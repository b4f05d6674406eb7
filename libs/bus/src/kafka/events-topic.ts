import type { Admin, Kafka } from 'kafkajs';
import type { Config } from '#libs/kernel';

const PARTITIONS = 6;
const REPLICAS = 3;
const TRIES = 20;
const TRY_AGAIN_MS = 100;

/** The topic of all events (details §5); `postloft.email.events.v1` unless KAFKA_TOPIC_PREFIX says otherwise. */
export const eventsTopic = (config: Config): string => `${config.settings.KAFKA_TOPIC_PREFIX}email.events.v1`;

/**
 * Makes the topic if it is not there, and returns when all its partitions answer. The number of partitions of an existing
 * topic is left alone: changing it would move keys to other partitions and with that break their order.
 * @throws when Kafka cannot be reached or refuses
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
    await answers(admin, topic);
  } finally {
    await admin.disconnect();
  }
}

/**
 * A broker names itself as leader of a new partition some milliseconds before it serves it. A batch sent in between
 * reaches some partitions and not others, and its repetition would carry half of it twice.
 */
async function answers(admin: Admin, topic: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await admin.fetchTopicOffsets(topic);
      return;
    } catch (error) {
      if (tries === TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_MS));
    }
  }
}
