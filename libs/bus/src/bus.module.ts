import { Global, Module, type DynamicModule } from '@nestjs/common';
import { Config, Log, Shutdown } from '#libs/kernel';
import { BatchBoundaries } from './batch-boundaries.js';
import { EventLog } from './event-log.js';
import { OutboxRelay } from './outbox-relay.js';
import { LogLag } from './log-lag.js';
import { ParkedEvents, ParkedMetrics } from './parking/parked-events.js';
import { Parking } from './parking/parking.js';
import { AccountHistory } from './postgres/account-history.js';
import { EventLogRetention } from './postgres/event-log-retention.js';
import { KeyHistory } from './postgres/key-history.js';
import { LiveLog } from './postgres/live-log.js';
import { LogTail } from './postgres/log-tail.js';
import { LogListener } from './postgres/log-listener.js';
import { PostgresEventLog } from './postgres/postgres-event-log.js';
import { RecentEvents } from './postgres/recent-events.js';
import { Sequencer } from './postgres/sequencer.js';

/** True when KAFKA_BROKERS is set: consumers then read Kafka, and the PostgreSQL log is copied there. */
const usesKafka = (config: Config): boolean => config.settings.KAFKA_BROKERS !== undefined;

/** The event log. The only place that selects between PostgreSQL and Kafka, whose client is loaded only if needed. */
@Global()
@Module({})
export class BusModule {
  static forRoot(): DynamicModule {
    return {
      module: BusModule,
      providers: [
        BatchBoundaries,
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
        PostgresEventLog,
        {
          provide: EventLog,
          inject: [PostgresEventLog, Config, Log, Shutdown, BatchBoundaries, LogLag, Parking],
          useFactory: chooseEventLog,
        },
        {
          provide: OutboxRelay,
          inject: [Sequencer, PostgresEventLog, Config, Log, Shutdown],
          useFactory: createOutboxRelay,
        },
      ],
      exports: [
        AccountHistory,
        EventLog,
        EventLogRetention,
        KeyHistory,
        LiveLog,
        LogTail,
        OutboxRelay,
        ParkedEvents,
        Sequencer,
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
  postgres: PostgresEventLog,
  ...[config, log, shutdown]: [Config, Log, Shutdown]
): Promise<OutboxRelay> {
  if (!usesKafka(config)) return new OutboxRelay(sequencer, null);
  const { KafkaRelay } = await import('./kafka/kafka-relay.js');
  return new OutboxRelay(sequencer, new KafkaRelay(postgres, { config, log, shutdown }));
}
