import { Injectable } from '@nestjs/common';
import { Accounts } from '#libs/accounts';
import { queueNames } from '#libs/contracts';
import { Metrics, TtlCache, withTimeout } from '#libs/kernel';
import { Database } from '#libs/persistence';
import { Gauge, type Registry } from 'prom-client';
import { CourierAdapter } from './courier-adapter.js';
import { SharedThrottling } from '../throttling/shared-throttling.js';
import { QueueDepths } from '../throttling/queue-depths.js';

/** Scrapes within this time share one result. */
const KEEP_MS = 10_000;
/** The largest backlogs are reported by provider; a DNS look-up for each of the others would cost too much. */
const TOLD_APART = 100;
/** Time limit of the DNS look-ups of a scrape. */
const DNS_MS = 1_000;
const OTHER = 'other';

interface Depth {
  due: number;
  held: number;
  /** Seconds. */
  oldest: number;
}

/** Queue depth and age by mailbox provider. The label set is bounded: known providers and `other`. */
@Injectable()
export class QueueMetrics {
  private readonly depths: QueueDepths;
  private readonly recent: TtlCache<Map<string, Depth>>;

  constructor(
    database: Database,
    accounts: Accounts,
    private readonly outgoing: CourierAdapter,
    private readonly shared: SharedThrottling,
    { registry }: Metrics,
  ) {
    this.depths = new QueueDepths(database);
    this.recent = new TtlCache({ load: () => this.look().catch(() => null), ttlMs: KEEP_MS, maxEntries: 1 });
    const picture = () => this.picture();
    const registers = [registry];
    new Gauge({
      name: 'postloft_queue_recipients',
      help: 'Recipients that are due and unclaimed, or held back by their queue, by mailbox provider',
      labelNames: ['provider', 'state'],
      registers,
      async collect() {
        this.reset();
        for (const [provider, { due, held }] of await picture()) {
          this.set({ provider, state: 'due' }, due);
          this.set({ provider, state: 'held' }, held);
        }
      },
    });
    new Gauge({
      name: 'postloft_queue_oldest_due_seconds',
      help: 'For how long the oldest due mail has waited to be claimed, by mailbox provider',
      labelNames: ['provider'],
      registers,
      async collect() {
        this.reset();
        for (const [provider, { oldest }] of await picture()) this.set({ provider }, oldest);
      },
    });
    accountGauge(registers, {
      name: 'postloft_accounts_paused',
      help: 'Accounts whose sending is paused because of bounces or complaints. Absent while the database is unavailable.',
      count: () => accounts.countPaused(),
    });
    accountGauge(registers, {
      name: 'postloft_accounts_in_penalty_pool',
      help: 'Accounts whose emails leave from the penalty pool. Absent while the database is unavailable.',
      count: () => accounts.countPenalised(),
    });
  }

  /** Empty while the database is unavailable. */
  private async picture(): Promise<Map<string, Depth>> {
    return (await this.recent.get('all')) ?? new Map<string, Depth>();
  }

  private async look(): Promise<Map<string, Depth>> {
    const [due, held] = await Promise.all([this.depths.due(), this.depths.held()]);
    const providers = await Promise.all(due.slice(0, TOLD_APART).map(({ domain }) => this.providerOf(domain)));
    const depths = new Map<string, Depth>();
    const at = (provider: string): Depth => {
      const depth = depths.get(provider) ?? { due: 0, held: 0, oldest: 0 };
      depths.set(provider, depth);
      return depth;
    };
    for (const [i, backlog] of due.entries()) {
      const depth = at(providers[i] ?? OTHER);
      depth.due += backlog.due;
      depth.oldest = Math.max(depth.oldest, backlog.oldest);
    }
    for (const { queue, held: recipients } of held)
      at(
        this.shared.plan.providers.has(queueNames.penaltyQueue.ordinary(queue))
          ? queueNames.providerOfQueue(queue)
          : OTHER,
      ).held += recipients;
    return depths;
  }

  private async providerOf(domain: string): Promise<string> {
    const destination = await withTimeout(this.outgoing.destination(domain), DNS_MS, () => null);
    return queueNames.providerOfQueue(destination?.provider ?? OTHER);
  }
}

function accountGauge(
  registers: Registry[],
  { name, help, count }: { name: string; help: string; count: () => Promise<number> },
): void {
  new Gauge({
    name,
    help,
    registers,
    async collect() {
      const accounts = await count().catch(() => null);
      if (accounts === null) this.remove();
      else this.set(accounts);
    },
  });
}
