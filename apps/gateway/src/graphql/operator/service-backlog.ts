import { Injectable } from '@nestjs/common';
import { databaseClock } from '#libs/kernel';
import { RetentionRegistry } from '#libs/persistence';
import { QueueOverview } from '#libs/queue';
import { OperatorEventLog } from './operator-event-log.js';
import type { ServiceFacts } from './service-problems.js';

type Totals = Awaited<ReturnType<QueueOverview['totals']>>;

/** The backlog of the service: mail to deliver, events to publish, data to delete. */
@Injectable()
export class ServiceBacklog {
  constructor(
    private readonly queues: QueueOverview,
    private readonly events: OperatorEventLog,
    private readonly retention: RetentionRegistry,
  ) {}

  async read(): Promise<Totals & Pick<ServiceFacts, 'backlog' | 'lateData'>> {
    const [totals, { backlog }, lateData] = await Promise.all([
      this.queues.totals(),
      this.events.state(),
      this.retention.late(databaseClock.date()),
    ]);
    return { ...totals, backlog, lateData };
  }
}
