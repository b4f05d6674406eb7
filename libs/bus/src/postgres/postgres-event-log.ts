import { Injectable } from '@nestjs/common';
import { Shutdown } from '#libs/kernel';
import { Database } from '#libs/persistence';
import { EventLog, type ConsumeOptions } from '../event-log.js';
import { LogListener } from './log-listener.js';
import { handledPosition } from './position-lease.js';
import { PostgresConsumers } from './postgres-consumers.js';

/** The log in PostgreSQL: consumers read `event_log` by position, one instance of a consumer at a time. */
@Injectable()
export class PostgresEventLog extends EventLog {
  constructor(
    private readonly database: Database,
    private readonly listener: LogListener,
    private readonly consumers: PostgresConsumers,
    private readonly shutdown: Shutdown,
  ) {
    super();
  }

  async consume(options: ConsumeOptions): Promise<void> {
    if (this.shutdown.begun) return;
    this.listener.start();
    const consumer = this.consumers.create(options);
    this.shutdown.on('work', `log consumer ${options.consumer}`, () => consumer.stop());
    consumer.start();
  }

  handledPosition(consumer: string): Promise<number> {
    return handledPosition(this.database, consumer);
  }
}
