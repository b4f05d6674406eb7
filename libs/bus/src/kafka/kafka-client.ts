import { Kafka, logLevel, type KafkaConfig, type LogEntry, type SASLOptions } from 'kafkajs';
import type { Config, Log } from '#libs/kernel';

const CONNECT_MS = 3_000;
const REQUEST_MS = 10_000;

/** The Kafka client of this process, by the settings KAFKA_*. */
export function kafkaClient(config: Config, log: Log): Kafka {
  // Silences a warning about the changed default partitioner, which does not matter for a new topic.
  process.env['KAFKAJS_NO_PARTITIONER_WARNING'] = '1';
  return new Kafka(kafkaOptions(config, log));
}

function kafkaOptions(config: Config, log: Log): KafkaConfig {
  const { KAFKA_BROKERS, KAFKA_SSL } = config.settings;
  return {
    clientId: `postloft-${config.program}`,
    brokers: [...(KAFKA_BROKERS ?? [])],
    ssl: KAFKA_SSL,
    sasl: sasl(config),
    connectionTimeout: CONNECT_MS,
    requestTimeout: REQUEST_MS,
    enforceRequestTimeout: true,
    retry: { initialRetryTime: 300, maxRetryTime: 5_000, retries: 5 },
    logLevel: logLevel.INFO,
    logCreator: () => (entry) => write(log, entry),
  };
}

function sasl(config: Config): SASLOptions | undefined {
  const {
    KAFKA_SASL_MECHANISM: mechanism = 'plain',
    KAFKA_SASL_USERNAME: username,
    KAFKA_SASL_PASSWORD: password,
  } = config.settings;
  if (username === undefined || password === undefined) return undefined;
  return { mechanism, username, password };
}

/** One level lower: the library logs each lost connection as an error, although everything here is retried. */
function write(log: Log, { level, namespace, log: { message, error, groupId, broker } }: LogEntry): void {
  const fields = { part: namespace, reason: error as unknown, group: groupId as unknown, broker: broker as unknown };
  if (level === logLevel.ERROR) log.warn(`kafka: ${message}`, fields);
  else log.debug(`kafka: ${message}`, fields);
}
