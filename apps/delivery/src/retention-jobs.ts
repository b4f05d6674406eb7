import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { databaseClock, Log, Metrics, Shutdown } from '#libs/kernel';
import {
  Database,
  Lease,
  Partitions,
  registerPartitionMetrics,
  RetentionGuard,
  RetentionRegistry,
  Worker,
  type Deletions,
} from '#libs/persistence';
import { Counter } from 'prom-client';

const INTERVAL_MS = 10 * 60_000;
/** After the start, so that it does not compete with it. */
const FIRST_MS = 5_000;

/**
 * Creates the partitions of the next days and deletes the expired data of each library, periodically. Of any number of
 * delivery programs, the one with the lease does it.
 */
@Injectable()
export class RetentionJobs implements OnApplicationBootstrap {
  private first: NodeJS.Timeout | undefined;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private readonly lease: Lease;
  private readonly dropped: Counter;
  private readonly failures: Counter;

  constructor(
    private readonly partitions: Partitions,
    private readonly registry: RetentionRegistry,
    private readonly guard: RetentionGuard,
    private readonly log: Log,
    database: Database,
    worker: Worker,
    shutdown: Shutdown,
    metrics: Metrics,
  ) {
    this.lease = new Lease(database, worker, 'retention');
    registerPartitionMetrics(partitions, metrics);
    const registers = [metrics.registry];
    this.dropped = new Counter({
      name: 'postloft_partitions_dropped_total',
      help: 'Day partitions that this process has dropped because their time was over.',
      registers,
    });
    this.failures = new Counter({
      name: 'postloft_retention_failures_total',
      help: 'Retention jobs, and creations of partitions, that failed and are repeated in the next round.',
      registers,
    });
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
    try {
      if (!this.lease.isHeld && !(await this.lease.take())) return;
    } catch (error) {
      return this.failed('lease', error);
    }
    const now = databaseClock.date();
    await this.attempt('partitions', async () => {
      const created = await this.partitions.createAhead(now, (partition, error) => this.failed(partition, error));
      if (created.length > 0) this.log.info('created partitions', { partitions: created.length });
    });
    if (!(await this.mayExpire(now))) return;
    for (const data of this.registry.all())
      await this.attempt(data.name, async () => this.report(await data.expire(now)));
  }

  /** Nothing expires while that is unknown. */
  private async mayExpire(now: Date): Promise<boolean> {
    try {
      return await this.guard.mayExpire(now.getTime());
    } catch (error) {
      this.failed('clock', error);
      return false;
    }
  }

  private report(deletions: Deletions): void {
    for (const [of, deletion] of Object.entries(deletions)) {
      if (typeof deletion === 'number') {
        this.log.debug('deleted expired data', { of, rows: deletion });
        continue;
      }
      const { dropped, deleted } = deletion;
      this.dropped.inc(dropped.length);
      if (dropped.length + deleted > 0)
        this.log.info('deleted expired data', { of, partitions: dropped, rows: deleted });
    }
  }

  /** One failure does not stop the other jobs. Each stops at once when the lease is lost. */
  private async attempt(what: string, job: () => Promise<void>): Promise<void> {
    try {
      this.lease.held();
      await job();
    } catch (error) {
      this.failed(what, error);
    }
  }

  private failed(what: string, error: unknown): void {
    this.failures.inc();
    this.log.warn('retention failed', { of: what, reason: (error as Error).message });
  }
}
