import { Global, Module, type DynamicModule } from '@nestjs/common';
import { Config, Log, Shutdown } from '#libs/kernel';
import { Database, RetentionRegistry, Worker } from '#libs/persistence';
import { BatchBoundaries } from './batch-boundaries.js';
import { EventLog, type EventBatch } from './event-log.js';
import { OutboxRelay } from './outbox-relay.js';
import { LogConsumers } from './log-consumers.js';
import { LogLag } from './log-lag.js';
import { ParkedEvents, ParkedMetrics } from './parking/parked-events.js';
import { Parking } from './parking/parking.js';
import { AccountHistory } from './postgres/account-history.js';
import { EventLogRetention } from './postgres/event-log-retention.js';
import { KeyHistory } from './postgres/key-history.js';
import { LiveLog } from './postgres/live-log.js';
import { LogTail } from './postgres/log-tail.js';
import { LogListener } from './postgres/log-listener.js';
import { PositionLease } from './postgres/position-lease.js';
import { PostgresConsumers } from './postgres/postgres-consumers.js';
import { PostgresEventLog } from './postgres/postgres-event-log.js';
import { RecentEvents } from './postgres/recent-events.js';
import { Sequencer } from './postgres/sequencer.js';
import { TableSource } from './postgres/table-source.js';
import { TableRelay } from './relayed-table.js';
import { StatisticsRecord } from './statistics-record.js';

/** True when KAFKA_BROKERS is set: consumers then read Kafka, and the PostgreSQL log is copied there. */
const usesKafka = (config: Config): boolean => config.settings.KAFKA_BROKERS !== undefined;

/** The event log. The only place that selects between PostgreSQL and Kafka, whose client is loaded only if needed. */
@Global()
@Module({})
export class BusModule {
  constructor(retention: RetentionRegistry, eventLog: EventLogRetention) {
    retention.register('event log', async (now) => ({ 'event log': await eventLog.prune(now) }), {
      overdueSince: (now) => eventLog.overdueSince(now),
    });
  }

  static forRoot(): DynamicModule {
    return {
      module: BusModule,
      providers: [
        BatchBoundaries,
        {
          provide: LogConsumers,
          inject: [Database, Config],
          useFactory: (database: Database, config: Config) => LogConsumers.of(database, config),
        },
        LogListener,
        LogLag,
        ParkedEvents,
        ParkedMetrics,
        Parking,
        LiveLog,
        LogTail,
        AccountHistory,
        EventLogRetention,
        KeyHistory,
        RecentEvents,
        Sequencer,
        StatisticsRecord,
        PostgresConsumers,
        PostgresEventLog,
        {
          provide: EventLog,
          inject: [PostgresEventLog, Config, Log, Shutdown, BatchBoundaries, LogLag, Parking],
          useFactory: chooseEventLog,
        },
        {
          provide: OutboxRelay,
          inject: [Sequencer, LiveLog, Parking, Database, Worker, Config, Log, Shutdown],
          useFactory: createOutboxRelay,
        },
        { provide: TableRelay, inject: [Database, Worker, Config, Log, Shutdown], useFactory: createTableRelay },
      ],
      exports: [
        AccountHistory,
        EventLog,
        KeyHistory,
        LiveLog,
        LogConsumers,
        LogTail,
        OutboxRelay,
        ParkedEvents,
        Parking,
        Sequencer,
        StatisticsRecord,
        TableRelay,
      ],
    };
  }
}

async function chooseEventLog(
  postgres: PostgresEventLog,
  config: Config,
  ...[log, shutdown, boundaries, lag, parking]: [Log, Shutdown, BatchBoundaries, LogLag, Parking]
): Promise<EventLog> {
  if (!usesKafka(config)) return postgres;
  const { KafkaEventLog } = await import('./kafka/kafka-event-log.js');
  return new KafkaEventLog({ config, log, shutdown, boundaries, lag, parking, source: postgres });
}

async function createOutboxRelay(
  sequencer: Sequencer,
  liveLog: LiveLog,
  ...[parking, database, worker, config, log, shutdown]: [Parking, Database, Worker, Config, Log, Shutdown]
): Promise<OutboxRelay> {
  if (!usesKafka(config)) return new OutboxRelay(sequencer, null);
  const { KafkaRelay } = await import('./kafka/kafka-relay.js');
  const { LogSource, RELAY_CONSUMER, toSourceRecord } = await import('./kafka/log-source.js');
  const { fromRawRecord } = await import('./kafka/event-record.js');
  const { kafkaClient } = await import('./kafka/kafka-client.js');
  const source = new LogSource(new PositionLease(database, worker, RELAY_CONSUMER), liveLog, parking);
  const parts = { kafka: kafkaClient(config, log), config, log, shutdown };
  const relay = new KafkaRelay(source, 'email.events.v1', parts);
  const replay = ({ events }: Pick<EventBatch, 'events'>) => relay.write(events.map(toSourceRecord));
  return new OutboxRelay(sequencer, {
    start: () => {
      relay.start();
      parking.startReplays({ consumer: RELAY_CONSUMER, handle: replay }, fromRawRecord);
    },
  });
}

async function createTableRelay(
  database: Database,
  worker: Worker,
  ...[config, log, shutdown]: [Config, Log, Shutdown]
): Promise<TableRelay> {
  if (!usesKafka(config)) return { start: () => undefined };
  const { KafkaRelay } = await import('./kafka/kafka-relay.js');
  const { kafkaClient } = await import('./kafka/kafka-client.js');
  const parts = { kafka: kafkaClient(config, log), config, log, shutdown };
  return {
    start: (table) => new KafkaRelay(new TableSource(table, { database, worker, log }), table.topic, parts).start(),
  };
}
