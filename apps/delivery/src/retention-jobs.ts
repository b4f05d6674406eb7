import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { RequestLog } from '#libs/accounts';
import { EventLogRetention } from '#libs/bus';
import { CapturedMessages, DomainRetention, Retention } from '#libs/emails';
import { InboundStore } from '#libs/inbound';
import { databaseClock, Log, Metrics, Shutdown } from '#libs/kernel';
import {
  Database,
  Lease,
  NoticeOutbox,
  Partitions,
  registerPartitionMetrics,
  RetentionGuard,
  Worker,
  type Expired,
} from '#libs/persistence';
import { pruneFullMailboxes, StoredStsPolicies } from '#libs/queue';
import { Counter } from 'prom-client';

const INTERVAL_MS = 10 * 60_000;
/** After the start, so that it does not compete with it. */
const FIRST_MS = 5_000;

/**
 * Creates the partitions of the next days and deletes expired data periodically. Of any number of delivery programs, the one
 * with the lease does it.
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
    private readonly database: Database,
    private readonly partitions: Partitions,
    private readonly captured: CapturedMessages,
    private readonly events: EventLogRetention,
    private readonly inbound: InboundStore,
    private readonly retention: Retention,
    private readonly domains: DomainRetention,
    private readonly requestLog: RequestLog,
    private readonly notices: NoticeOutbox,
    private readonly stsPolicies: StoredStsPolicies,
    private readonly guard: RetentionGuard,
    private readonly log: Log,
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
    await this.expire('event log', () => this.events.prune(now));
    await this.expire('request log', () => this.requestLog.prune());
    await this.expire('captured messages', () => this.captured.prune(now));
    await this.attempt('messages', async () => {
      const { contents, attempts, ...rows } = await this.retention.prune(now);
      this.report('contents', contents);
      this.report('attempts', attempts);
      this.log.debug('deleted expired messages', { ...rows });
    });
    await this.attempt('periods of domains', async () => {
      const { contents, captured } = await this.domains.prune(now);
      if (contents + captured > 0) this.log.info('deleted by the periods of domains', { contents, captured });
    });
    await this.attempt('other data', async () => {
      this.log.debug('deleted expired data', {
        notices: await this.notices.prune(),
        inboundMessages: await this.inbound.prune(),
        fullMailboxes: await pruneFullMailboxes(this.database),
        stsPolicies: await this.stsPolicies.prune(),
      });
    });
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

  private expire(what: string, prune: () => Promise<Expired>): Promise<void> {
    return this.attempt(what, async () => this.report(what, await prune()));
  }

  private report(what: string, { dropped, deleted }: Expired): void {
    this.dropped.inc(dropped.length);
    if (dropped.length + deleted > 0)
      this.log.info('deleted expired data', { of: what, partitions: dropped, rows: deleted });
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
