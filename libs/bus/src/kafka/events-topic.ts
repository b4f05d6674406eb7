import type { Kafka } from 'kafkajs';
import type { Config } from '#libs/kernel';

const PARTITIONS = 6;
const REPLICAS = 3;

/** The topic of all events (details §5); `postloft.email.events.v1` unless KAFKA_TOPIC_PREFIX says otherwise. */
export const eventsTopic = (config: Config): string => `${config.settings.KAFKA_TOPIC_PREFIX}email.events.v1`;

/**
 * Makes the topic if it is not there. The number of partitions of an existing topic is left alone: changing it would
 * move keys to other partitions and with that break their order.
 */
export async function ensureTopic(kafka: Kafka, topic: string): Promise<void> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    if ((await admin.listTopics()).includes(topic)) return;
    const { brokers } = await admin.describeCluster();
    await admin.createTopics({
      waitForLeaders: true,
      topics: [{ topic, numPartitions: PARTITIONS, replicationFactor: Math.min(REPLICAS, brokers.length) }],
    });
  } finally {
    await admin.disconnect();
  }
}
