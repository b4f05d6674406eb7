import { Injectable } from '@nestjs/common';
import { Health, Log, Metrics } from '#libs/kernel';
import { Partitions, registerPartitionMetrics, RetentionRegistry, type Deletions } from '#libs/persistence';
import { Counter, Gauge } from 'prom-client';

const LATE = 'retention_late';

/** Reports deleted and overdue data of retention: log, metrics and conditions. */
@Injectable()
export class RetentionReport {
  private readonly dropped: Counter;
  private readonly rows: Counter;
  private readonly failures: Counter;
  private readonly behind: Gauge;

  constructor(
    private readonly registry: RetentionRegistry,
    private readonly health: Health,
    private readonly log: Log,
    metrics: Metrics,
    partitions: Partitions,
  ) {
    registerPartitionMetrics(partitions, metrics);
    const registers = [metrics.registry];
    this.dropped = new Counter({
      name: 'postloft_partitions_dropped_total',
      help: 'Day partitions that this process has dropped because their time was over.',
      registers,
    });
    this.rows = new Counter({
      name: 'postloft_retention_deleted_rows_total',
      help: 'Rows that this process has deleted one by one because their time was over, by kind of data.',
      labelNames: ['of'],
      registers,
    });
    this.failures = new Counter({
      name: 'postloft_retention_failures_total',
      help: 'Retention jobs, and creations of partitions, that failed and are repeated in the next round.',
      registers,
    });
    this.behind = new Gauge({
      name: 'postloft_retention_behind_seconds',
      help: 'Time since the oldest data of a kind should have been deleted, after the last round; of the program that drops partitions.',
      labelNames: ['of'],
      registers,
    });
  }

  deleted(deletions: Deletions): void {
    for (const [of, deletion] of Object.entries(deletions)) {
      if (typeof deletion === 'number') {
        this.rows.inc({ of }, deletion);
        this.log.debug('deleted expired data', { of, rows: deletion });
        continue;
      }
      const { dropped, deleted } = deletion;
      this.dropped.inc(dropped.length);
      this.rows.inc({ of }, deleted);
      if (dropped.length + deleted > 0)
        this.log.info('deleted expired data', { of, partitions: dropped, rows: deleted });
    }
  }

  /** Called after a round: what is overdue then could not be deleted by it. */
  async overdue(now: Date): Promise<void> {
    const overdue = new Map((await this.registry.overdue(now)).map(({ name, since }) => [name, since]));
    for (const { name } of this.registry.all()) {
      const since = overdue.get(name);
      this.behind.set({ of: name }, since === undefined ? 0 : (now.getTime() - since.getTime()) / 1_000);
    }
    const late = (await this.registry.late(now)).map(
      ({ name, since }) => [name, { overdue_since: since.toISOString() }] as const,
    );
    this.health.conditions.set(LATE, new Map(late));
  }

  /** Nothing is known, because nothing may expire or another program has the lease. */
  paused(): void {
    this.behind.reset();
    this.health.conditions.set(LATE, new Map());
  }

  failed(what: string, error: unknown): void {
    this.failures.inc();
    this.log.warn('retention failed', { of: what, reason: (error as Error).message });
  }
}
