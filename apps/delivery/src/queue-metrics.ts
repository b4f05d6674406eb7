import { Injectable } from '@nestjs/common';
import { QueueDepths, SharedShaping } from '#libs/emails';
import { Metrics } from '#libs/kernel';
import { Database } from '#libs/persistence';
import { Gauge } from 'prom-client';
import { OutgoingMail } from './outgoing-mail.js';

/** The picture is shared by scrapes that come close together. */
const KEEP_MS = 10_000;
/** The largest backlogs are told apart by provider; for the others a look at DNS each would be too much. */
const TOLD_APART = 100;
/** A name server that stalls must not stall the scrape. */
const DNS_MS = 1_000;
const OTHER = 'other';

interface Depth {
  due: number;
  held: number;
  /** Seconds. */
  oldest: number;
}

/** Queue depth and age by mailbox provider. The set of labels is bounded: known providers, and `other`. */
@Injectable()
export class QueueMetrics {
  private readonly depths: QueueDepths;
  private recent: { picture: Promise<Map<string, Depth>>; until: number } | undefined;

  constructor(
    database: Database,
    private readonly outgoing: OutgoingMail,
    private readonly shared: SharedShaping,
    { registry }: Metrics,
  ) {
    this.depths = new QueueDepths(database);
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
  }

  /** Empty while the database is away. */
  private picture(): Promise<Map<string, Depth>> {
    if (this.recent === undefined || this.recent.until < performance.now()) {
      const picture = this.look().catch(() => new Map<string, Depth>());
      this.recent = { picture, until: performance.now() + KEEP_MS };
    }
    return this.recent.picture;
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
      at(this.shared.plan.providers.has(queue) ? queue : OTHER).held += recipients;
    return depths;
  }

  private async providerOf(domain: string): Promise<string> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), DNS_MS);
    });
    const destination = await Promise.race([this.outgoing.destination(domain), late]);
    clearTimeout(timer);
    return destination?.provider ?? OTHER;
  }
}
