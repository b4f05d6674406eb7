import { Global, Module, type DynamicModule } from '@nestjs/common';
import { Config, Log, Shutdown } from '#libs/kernel';
import { Database, RetentionRegistry, Worker } from '#libs/persistence';
import { BatchBoundaries } from './batch-boundaries.js';
import { EventLog } from './event-log.js';
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
import { PostgresConsumers } from './postgres/postgres-consumers.js';
import { PostgresEventLog } from './postgres/postgres-event-log.js';
import { LOG_POSITIONS, PositionLease } from './postgres/position-lease.js';
import { RecentEvents } from './postgres/recent-events.js';
import { Sequencer } from './postgres/sequencer.js';
import { TableSource } from './postgres/table-source.js';
import { NoRelays, Relays, type RelayedTable } from './relayed-table.js';
import { ShardLayout } from './shards/shard-layout.js';
import { shardName, type Shard } from './shards/shard.js';
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
        OutboxRelay,
        {
          provide: Relays,
          inject: [LiveLog, Parking, Database, Worker, Config, Log, Shutdown],
          useFactory: createRelays,
        },
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
        Relays,
        Sequencer,
        StatisticsRecord,
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

async function createRelays(
  liveLog: LiveLog,
  parking: Parking,
  ...[database, worker, config, log, shutdown]: [Database, Worker, Config, Log, Shutdown]
): Promise<Relays> {
  if (!usesKafka(config)) return new NoRelays();
  const { KafkaRelays } = await import('./kafka/kafka-relays.js');
  const { LogSource, RELAY_CONSUMER } = await import('./kafka/log-source.js');
  const layout = new ShardLayout(database, RELAY_CONSUMER, LOG_POSITIONS);
  const logSource = (shard: Shard) => {
    const stored = new PositionLease(database, worker, shardName(RELAY_CONSUMER, shard));
    return new LogSource(shard, { stored, layout, log: liveLog, parking });
  };
  const tableSource = (table: RelayedTable, shard: Shard) => new TableSource(table, { database, worker, log }, shard);
  return new KafkaRelays({ logSource, tableSource, parking, database, worker, config, log, shutdown });
}
