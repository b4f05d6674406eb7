import { Injectable } from '@nestjs/common';
import { LocalNotifications, Log } from '#libs/kernel';
import { Database, Worker } from '#libs/persistence';
import { BatchBoundaries } from '../batch-boundaries.js';
import type { ConsumeOptions } from '../event-log.js';
import { LogLag } from '../log-lag.js';
import { Parking } from '../parking/parking.js';
import { PostgresConsumer } from './postgres-consumer.js';
import { RecentEvents } from './recent-events.js';

/** Creates the consumers of the PostgreSQL log in this process. */
@Injectable()
export class PostgresConsumers {
  constructor(
    private readonly database: Database,
    private readonly boundaries: BatchBoundaries,
    private readonly notifications: LocalNotifications,
    private readonly log: Log,
    private readonly recent: RecentEvents,
    private readonly worker: Worker,
    private readonly lag: LogLag,
    private readonly parking: Parking,
  ) {}

  create(options: ConsumeOptions): PostgresConsumer {
    const { database, boundaries, notifications, log, recent, worker, lag } = this;
    recent.addReader();
    const parts = { database, boundaries, notifications, log, recent, worker, lag };
    return new PostgresConsumer(this.parking.guard(options), parts);
  }
}
