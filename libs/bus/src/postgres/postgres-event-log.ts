import { Injectable } from '@nestjs/common';
import { Log, Shutdown, Wakeups } from '#libs/kernel';
import { Database } from '#libs/persistence';
import { BatchBoundaries } from '../batch-boundaries.js';
import { EventLog, type ConsumeOptions } from '../event-log.js';
import { LogListener } from './log-listener.js';
import { PostgresConsumer } from './postgres-consumer.js';
import { RecentEvents } from './recent-events.js';

/** The log in PostgreSQL: consumers read `event_log` by position, one instance of each consumer at a time. */
@Injectable()
export class PostgresEventLog extends EventLog {
  constructor(
    private readonly database: Database,
    private readonly boundaries: BatchBoundaries,
    private readonly listener: LogListener,
    private readonly wakeups: Wakeups,
    private readonly log: Log,
    private readonly shutdown: Shutdown,
    private readonly recent: RecentEvents,
  ) {
    super();
  }

  async consume(options: ConsumeOptions): Promise<void> {
    if (this.shutdown.begun) return;
    this.listener.start();
    const { database, boundaries, wakeups, log, recent } = this;
    recent.join();
    const consumer = new PostgresConsumer(options, { database, boundaries, wakeups, log, recent });
    this.shutdown.on('work', `log consumer ${options.consumer}`, () => consumer.stop());
    consumer.start();
  }
}
