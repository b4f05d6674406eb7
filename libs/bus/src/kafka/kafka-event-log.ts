import type { Config, Log, Shutdown } from '#libs/kernel';
import type { BatchBoundaries } from '../batch-boundaries.js';
import { EventLog, type ConsumeOptions } from '../event-log.js';
import type { LogLag } from '../log-lag.js';
import { KafkaConsumer } from './kafka-consumer.js';

/** The log in Kafka: a consumer is a consumer group, its instances share the partitions of the topic. */
export class KafkaEventLog extends EventLog {
  constructor(
    private readonly parts: {
      config: Config;
      log: Log;
      boundaries: BatchBoundaries;
      lag: LogLag;
      shutdown: Shutdown;
    },
  ) {
    super();
  }

  async consume(options: ConsumeOptions): Promise<void> {
    const { shutdown } = this.parts;
    if (shutdown.begun) return;
    const consumer = new KafkaConsumer(options, this.parts);
    shutdown.on('work', `log consumer ${options.consumer}`, () => consumer.stop());
    consumer.start();
  }
}
