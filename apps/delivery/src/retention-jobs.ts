import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { databaseClock, Log, Shutdown } from '#libs/kernel';
import { Database, Lease, Partitions, RetentionGuard, RetentionRegistry, Worker } from '#libs/persistence';
import { RetentionReport } from './retention-report.js';

const INTERVAL_MS = 10 * 60_000;
/** After the start, so that it does not compete with it. */
const FIRST_MS = 5_000;

/**
 * Creates the partitions of the next days and deletes the expired data of each library, periodically. Of any number of
 * delivery programs, the one with the lease does it; data that is deleted row by row is deleted by all of them.
 */
@Injectable()
export class RetentionJobs implements OnApplicationBootstrap {
  private first: NodeJS.Timeout | undefined;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private readonly lease: Lease;

  constructor(
    private readonly partitions: Partitions,
    private readonly registry: RetentionRegistry,
    private readonly guard: RetentionGuard,
    private readonly report: RetentionReport,
    private readonly log: Log,
    database: Database,
    worker: Worker,
    shutdown: Shutdown,
  ) {
    this.lease = new Lease(database, worker, 'retention');
    shutdown.on('work', 'retention', async () => {
      clearTimeout(this.first);
      clearInterval(this.timer);
      await this.running;
      await this.lease.release();
    });
  }

  onApplicationBootstrap(): void {
    this.first = setTimeout(() => this.start(), FIRST_MS);
    this.timer = setInterval(() => this.start(), INTERVAL_MS);
  }

  /** Does nothing while the previous round runs. */
  private start(): void {
    const { running } = this;
    this.running = running.then(() => this.round());
  }

  private async round(): Promise<void> {
    let isFirst: boolean;
    try {
      isFirst = this.lease.isHeld || (await this.lease.take());
    } catch (error) {
      return this.report.failed('lease', error);
    }
    const now = databaseClock.date();
    if (isFirst) await this.attempt('partitions', () => this.createPartitions(now));
    if (!(await this.mayExpire(now))) return this.report.paused();
    for (const data of this.registry.all()) {
      const isShared = data.deleters === 'everywhere';
      if (isFirst || isShared)
        await this.attempt(data.name, async () => this.report.deleted(await data.expire(now)), {
          withLease: !isShared,
        });
    }
    if (isFirst) await this.attempt('what is overdue', () => this.report.overdue(now));
    else this.report.paused();
  }

  private async createPartitions(now: Date): Promise<void> {
    const created = await this.partitions.createAhead(now, (partition, error) => this.report.failed(partition, error));
    if (created.length > 0) this.log.info('created partitions', { partitions: created.length });
  }

  /** Nothing expires while that is unknown. */
  private async mayExpire(now: Date): Promise<boolean> {
    try {
      return await this.guard.mayExpire(now.getTime());
    } catch (error) {
      this.report.failed('clock', error);
      return false;
    }
  }

  /** One failure does not stop the other jobs. Those of the lease stop at once when it is lost. */
  private async attempt(what: string, job: () => Promise<void>, { withLease = true } = {}): Promise<void> {
    try {
      if (withLease) this.lease.held();
      await job();
    } catch (error) {
      this.report.failed(what, error);
    }
  }
}
