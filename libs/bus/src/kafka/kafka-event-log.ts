import type { Config, Log, Shutdown } from '#libs/kernel';
import type { BatchBoundaries } from '../batch-boundaries.js';
import { EventLog, type ConsumeOptions } from '../event-log.js';
import type { LogLag } from '../log-lag.js';
import type { Parking } from '../parking/parking.js';
import { fromRawRecord } from './event-record.js';
import { HandledPosition } from './handled-position.js';
import { kafkaClient } from './kafka-client.js';
import { groupIdOf, KafkaConsumer } from './kafka-consumer.js';
import { topicOf } from './topics.js';

/** The log in Kafka: a consumer is a consumer group whose members share the partitions of the topic. */
export class KafkaEventLog extends EventLog {
  private readonly handled = new Map<string, HandledPosition>();

  constructor(
    private readonly parts: {
      config: Config;
      log: Log;
      boundaries: BatchBoundaries;
      lag: LogLag;
      shutdown: Shutdown;
      parking: Parking;
      /** The PostgreSQL log, which is copied to Kafka. */
      source: EventLog;
    },
  ) {
    super();
  }

  async consume(options: ConsumeOptions): Promise<void> {
    const { shutdown } = this.parts;
    if (shutdown.begun) return;
    const consumer = new KafkaConsumer(this.parts.parking.guard(options, fromRawRecord), this.parts);
    shutdown.on('work', `log consumer ${options.consumer}`, () => consumer.stop());
    consumer.start();
  }

  handledPosition(consumer: string): Promise<number> {
    const { config, log, source } = this.parts;
    let handled = this.handled.get(consumer);
    if (!handled) {
      const of = { topic: topicOf(config, 'email.events.v1'), groupId: groupIdOf(config, consumer) };
      handled = new HandledPosition(of, kafkaClient(config, log), source);
      this.handled.set(consumer, handled);
    }
    return handled.read();
  }
}
