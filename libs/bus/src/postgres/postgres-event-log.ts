import { Injectable } from '@nestjs/common';
import { LocalNotifications, Log, Shutdown } from '#libs/kernel';
import { Database, Worker } from '#libs/persistence';
import { BatchBoundaries } from '../batch-boundaries.js';
import { EventLog, type ConsumeOptions } from '../event-log.js';
import { Parking } from '../parking/parking.js';
import { LogListener } from './log-listener.js';
import { storedPosition } from './position-lease.js';
import { PostgresConsumer } from './postgres-consumer.js';
import { RecentEvents } from './recent-events.js';

/** The log in PostgreSQL: consumers read `event_log` by position, one instance of a consumer at a time. */
@Injectable()
export class PostgresEventLog extends EventLog {
  constructor(
    private readonly database: Database,
    private readonly boundaries: BatchBoundaries,
    private readonly listener: LogListener,
    private readonly notifications: LocalNotifications,
    private readonly log: Log,
    private readonly shutdown: Shutdown,
    private readonly recent: RecentEvents,
    private readonly worker: Worker,
    private readonly parking: Parking,
  ) {
    super();
  }

  async consume(options: ConsumeOptions): Promise<void> {
    if (this.shutdown.begun) return;
    this.listener.start();
    const { database, boundaries, notifications, log, recent, worker } = this;
    recent.addReader();
    const consumer = new PostgresConsumer(this.parking.guard(options), {
      database,
      boundaries,
      notifications,
      log,
      recent,
      worker,
    });
    this.shutdown.on('work', `log consumer ${options.consumer}`, () => consumer.stop());
    consumer.start();
  }

  handledPosition(consumer: string): Promise<number> {
    return storedPosition(this.database, consumer);
  }
}
