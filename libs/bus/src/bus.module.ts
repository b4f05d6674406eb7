import { Global, Module, type DynamicModule } from '@nestjs/common';
import { Config, Log, Shutdown } from '#libs/kernel';
import { BatchBoundaries } from './batch-boundaries.js';
import { EventLog } from './event-log.js';
import { LogCarriage } from './log-carriage.js';
import { LogLag } from './log-lag.js';
import { AccountHistory } from './postgres/account-history.js';
import { KeyHistory } from './postgres/key-history.js';
import { LiveLog } from './postgres/live-log.js';
import { LogListener } from './postgres/log-listener.js';
import { PostgresEventLog } from './postgres/postgres-event-log.js';
import { RecentEvents } from './postgres/recent-events.js';
import { Sequencer } from './postgres/sequencer.js';

/** True when KAFKA_BROKERS is set: consumers then read Kafka, and the PostgreSQL log is carried there. */
const usesKafka = (config: Config): boolean => config.settings.KAFKA_BROKERS !== undefined;

/** The event log for every part of the process. The only place that knows both brands; Kafka's is loaded if needed. */
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
        LiveLog,
        AccountHistory,
        KeyHistory,
        RecentEvents,
        Sequencer,
        PostgresEventLog,
        {
          provide: EventLog,
          inject: [PostgresEventLog, Config, Log, Shutdown, BatchBoundaries, LogLag],
          useFactory: chooseEventLog,
        },
        {
          provide: LogCarriage,
          inject: [Sequencer, PostgresEventLog, Config, Log, Shutdown],
          useFactory: chooseCarriage,
        },
      ],
      exports: [AccountHistory, EventLog, KeyHistory, LiveLog, LogCarriage, Sequencer],
    };
  }
}

async function chooseEventLog(
  postgres: PostgresEventLog,
  config: Config,
  ...[log, shutdown, boundaries, lag]: [Log, Shutdown, BatchBoundaries, LogLag]
): Promise<EventLog> {
  if (!usesKafka(config)) return postgres;
  const { KafkaEventLog } = await import('./kafka/kafka-event-log.js');
  return new KafkaEventLog({ config, log, shutdown, boundaries, lag });
}

async function chooseCarriage(
  sequencer: Sequencer,
  postgres: PostgresEventLog,
  ...[config, log, shutdown]: [Config, Log, Shutdown]
): Promise<LogCarriage> {
  if (!usesKafka(config)) return new LogCarriage(sequencer, null);
  const { KafkaCarrier } = await import('./kafka/kafka-carrier.js');
  return new LogCarriage(sequencer, new KafkaCarrier(postgres, { config, log, shutdown }));
}
