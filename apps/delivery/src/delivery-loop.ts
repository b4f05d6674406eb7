import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { EmailLedger, HandOff, type DeliveryJob } from '#libs/emails';
import { Config, Health, Log, Metrics, Shutdown, Wakeups } from '#libs/kernel';
import { Database, DueWorkLoop, freeDeadClaims, Worker } from '#libs/persistence';
import { Counter, Gauge } from 'prom-client';
import { OutgoingMail } from './outgoing-mail.js';
import { SimulatedDelivery } from './simulated-delivery.js';

const POLL_MS = 100;
const FREE_CLAIMS_MS = 5_000;

/**
 * Leg B: ledger → courier → ledger. Jobs come from the hand-off in memory first and from the claim loop otherwise; both
 * run under the same bound, which is also the bound of what a crash can send twice.
 */
@Injectable()
export class DeliveryLoop implements OnApplicationBootstrap {
  private readonly loop: DueWorkLoop<DeliveryJob>;
  private readonly attempts: Counter<'outcome'>;
  /** Jobs under way, and those whose outcome could not be written: sending them again would only repeat that. */
  private readonly held = new Set<DeliveryJob>();
  private lastClaimAt = -Infinity;
  private sweeper: NodeJS.Timeout | undefined;

  constructor(
    private readonly ledger: EmailLedger,
    private readonly handOff: HandOff,
    private readonly outgoing: OutgoingMail,
    private readonly simulator: SimulatedDelivery,
    private readonly database: Database,
    private readonly worker: Worker,
    private readonly config: Config,
    private readonly wakeups: Wakeups,
    private readonly log: Log,
    shutdown: Shutdown,
    health: Health,
    metrics: Metrics,
  ) {
    const { DELIVERY_CONCURRENCY } = config.settings;
    this.loop = new DueWorkLoop(
      {
        name: 'delivery',
        claim: (limit) => this.claim(limit),
        work: (job) => this.deliver(job),
        concurrency: DELIVERY_CONCURRENCY,
        pollMs: POLL_MS,
      },
      log,
    );
    this.attempts = new Counter({
      name: 'postloft_attempts_total',
      help: 'Delivery attempts by outcome',
      labelNames: ['outcome'],
      registers: [metrics.registry],
    });
    const { loop } = this;
    new Gauge({
      name: 'postloft_deliveries_in_flight',
      help: 'Jobs between claim and settle',
      registers: [metrics.registry],
      collect() {
        this.set(loop.inFlight);
      },
    });
    health.register('delivery', () => (worker.alive ? null : 'the heartbeat of this worker is not confirmed'));
    shutdown.on('work', 'delivery', () => this.stop());
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.worker.register();
    // An earlier standalone instance of this data directory is gone for certain: its claims need not wait for 20 s.
    await this.freeClaims(this.config.program === 'standalone' ? this.config.dataDir : undefined);
    this.sweeper = setInterval(() => void this.freeClaims(), FREE_CLAIMS_MS);
    this.handOff.connect({ worker: this.worker, wake: () => this.loop.wake() });
    this.wakeups.on('due-mail', () => this.loop.wake());
    this.loop.start();
  }

  /** The hand-off first; the database when there is room left, or at least every poll interval. */
  private async claim(limit: number): Promise<DeliveryJob[]> {
    const handed = this.handOff.take(limit);
    const now = performance.now();
    if (handed.length === limit || (handed.length > 0 && now - this.lastClaimAt < POLL_MS)) return handed;
    if (!this.worker.alive) return handed;
    this.lastClaimAt = now;
    try {
      return [...handed, ...(await this.ledger.claim(limit - handed.length))];
    } catch (error) {
      if (handed.length === 0) throw error;
      this.log.warn('delivery: claim failed', { reason: (error as Error).message });
      return handed;
    }
  }

  private async deliver(job: DeliveryJob): Promise<void> {
    this.held.add(job);
    const { real, simulated } = this.simulator.divide(job);
    if (simulated) await this.simulator.deliver(simulated);
    if (real) await this.send(real);
    this.held.delete(job);
  }

  private async send(job: DeliveryJob): Promise<void> {
    const outcomes = await this.outgoing.send(job);
    for (const outcome of outcomes) this.attempts.inc({ outcome: outcome.kind });
    if (outcomes.some((outcome) => outcome.kind === 'abandoned'))
      this.log.warn('delivery: a claim was lost before sending', { email: job.mail.id });
    await this.ledger.settle(job, outcomes);
  }

  private async freeClaims(home?: string): Promise<void> {
    try {
      const freed = await freeDeadClaims(this.database, {
        tables: ['recipients', 'webhook_deliveries'],
        except: this.worker.id,
        ...(home ? { home } : {}),
      });
      const unheld = await this.ledger.freeUnheld([...this.held, ...this.handOff.waiting]);
      if (unheld > 0) this.log.warn('freed claims of this worker that no job stood for', { claims: unheld });
      if (unheld > 0) this.loop.wake();
      if (freed > 0) {
        this.log.info('freed the claims of workers that are gone', { claims: freed });
        this.loop.wake();
      }
    } catch (error) {
      this.log.warn('delivery: freeing claims failed', { reason: (error as Error).message });
    }
  }

  private async stop(): Promise<void> {
    clearInterval(this.sweeper);
    const waiting = this.handOff.disconnect();
    const stopped = this.loop.stop();
    await this.ledger.release(waiting);
    await stopped;
  }
}
