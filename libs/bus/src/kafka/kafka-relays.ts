import type { Kafka } from 'kafkajs';
import type { Config, Log, Program, Shutdown } from '#libs/kernel';
import type { Database, Worker } from '#libs/persistence';
import type { EventBatch } from '../event-log.js';
import type { Parking } from '../parking/parking.js';
import { Relays, type RelayedTable } from '../relayed-table.js';
import type { RelaySource } from '../relay-source.js';
import { FairShare } from '../shards/fair-share.js';
import { shardsOf, type Shard } from '../shards/shard.js';
import { fromRawRecord } from './event-record.js';
import { kafkaClient } from './kafka-client.js';
import { KafkaRelay } from './kafka-relay.js';
import { RELAY_CONSUMER, toSourceRecord } from './log-source.js';
import type { TopicName } from './topics.js';

const PROGRAMS: readonly Program[] = ['relay', 'standalone'];

/** The copies to Kafka in this process: one `KafkaRelay` per shard, of which those copy that this process may have. */
export class KafkaRelays extends Relays {
  private readonly kafka: Kafka;
  private readonly started = new Set<TopicName>();

  constructor(
    private readonly parts: {
      logSource: (shard: Shard) => RelaySource<number>;
      tableSource: (table: RelayedTable, shard: Shard) => RelaySource<unknown>;
      parking: Parking;
      database: Database;
      worker: Worker;
      config: Config;
      log: Log;
      shutdown: Shutdown;
    },
  ) {
    super();
    this.kafka = kafkaClient(parts.config, parts.log);
  }

  startLog(): void {
    const { parking, logSource } = this.parts;
    const relays = this.start('email.events.v1', logSource);
    if (relays.length === 0) return;
    const handle = ({ events }: Pick<EventBatch, 'events'>) => relays[0].write(events.map(toSourceRecord));
    parking.startReplays({ consumer: RELAY_CONSUMER, handle }, fromRawRecord);
  }

  startTable(table: RelayedTable): void {
    this.start(table.topic, (shard) => this.parts.tableSource(table, shard));
  }

  /** None if the topic is being written already. */
  private start<P>(topic: TopicName, source: (shard: Shard) => RelaySource<P>): KafkaRelay<P>[] {
    if (this.started.has(topic)) return [];
    this.started.add(topic);
    const { database, worker, config, log, shutdown } = this.parts;
    const { program } = config;
    const shards = shardsOf(config.settings.EVENT_LOG_SHARDS);
    const doers = { programs: PROGRAMS, otherwise: [program] };
    const share = new FairShare({ database, worker, program, doers, shards: shards.length });
    const parts = { kafka: this.kafka, config, log, shutdown, share };
    const relays = shards.map((shard) => new KafkaRelay(source(shard), topic, parts));
    for (const relay of relays) relay.start();
    return relays;
  }
}
