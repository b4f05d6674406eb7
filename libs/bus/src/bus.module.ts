import { Global, Module, type DynamicModule } from '@nestjs/common';
import { EventLog } from './event-log.js';
import { BatchBoundaries } from './batch-boundaries.js';
import { LogCarriage } from './log-carriage.js';
import { LiveLog } from './postgres/live-log.js';
import { LogListener } from './postgres/log-listener.js';
import { PostgresEventLog } from './postgres/postgres-event-log.js';
import { Sequencer } from './postgres/sequencer.js';

/** The event log for every part of the process. */
@Global()
@Module({})
export class BusModule {
  static forRoot(): DynamicModule {
    return {
      module: BusModule,
      providers: [
        BatchBoundaries,
        LogListener,
        LiveLog,
        Sequencer,
        PostgresEventLog,
        { provide: EventLog, useExisting: PostgresEventLog },
        {
          provide: LogCarriage,
          inject: [Sequencer],
          useFactory: (sequencer: Sequencer) => new LogCarriage(sequencer, null),
        },
      ],
      exports: [EventLog, LiveLog, LogCarriage, Sequencer],
    };
  }
}
