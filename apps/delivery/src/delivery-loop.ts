import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { EmailLedger, HandOff, type DeliveryJob } from '#libs/emails';
import { Config, Health, Log, Metrics, Shutdown, Wakeups } from '#libs/kernel';
import { domainOf } from '#libs/mime';
import { Shaping, type Sender } from '#libs/mta';
import { Database, freeDeadClaims, PollLoop, Worker } from '#libs/persistence';
import { BoundedWork } from './bounded-work.js';
import { DeliveryMetrics } from './delivery-metrics.js';
import { Dispatcher, type DispatchDesk } from './dispatcher.js';
import { FairPlaces } from './fair-places.js';
import { OutgoingMail } from './outgoing-mail.js';
import { QueueKeeper } from './queue-keeper.js';
import { RiskGate } from './risk-gate.js';
import { SimulatedDelivery, type SimulatedJob } from './simulated-delivery.js';

const POLL_MS = 100;
/** Between two claims that find nothing, however often somebody asks for one. */
const REST_MS = 20;
const SWEEP_MS = 500;
const FREE_CLAIMS_MS = 5_000;
/** Between two claims while DNS is away: nearly all that is claimed only goes back, what else is due stays as it is. */
const NO_DNS_MS = 1_000;
/** Recipients of one claim. */
const CLAIM_LIMIT = 200;
/** Jobs that wait in memory, beside those that are under way; the hand-off has the same bound. */
const MAX_WAITING = 2_000;
/** So many jobs may be connecting or waiting for a banner for each that may be at risk, up to a bound of sockets. */
const OPEN_PER_RISK = 4;
const MAX_OPEN = 2_000;
/** A mail that takes longer at its server keeps its place from others. */
const PROMPT_RISK_MS = 2_000;
const PROMPT_OPEN_MS = 3_000;

/**
 * Leg B: ledger → courier → ledger. Jobs come from the hand-off in memory and from the claim; the dispatcher begins each
 * when its destination may have it. What lies between MAIL and settle is bounded by DELIVERY_CONCURRENCY, which is the
 * bound of what a crash can send twice.
 */
@Injectable()
export class DeliveryLoop implements OnApplicationBootstrap {
  private readonly loop: PollLoop;
  private readonly dispatcher: Dispatcher;
  private readonly keeper: QueueKeeper;
  private readonly simulations: BoundedWork<SimulatedJob>;
  /** Simulated jobs until their outcome is written. */
  private readonly simulated = new Set<DeliveryJob>();
  private readonly metrics: DeliveryMetrics;
  private timers: NodeJS.Timeout[] = [];
  /** Of `performance.now()`. */
  private claimedAt = -Infinity;

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
    shaping: Shaping,
    shutdown: Shutdown,
    health: Health,
    metrics: Metrics,
  ) {
    const { DELIVERY_CONCURRENCY: most } = config.settings;
    const open = new FairPlaces(Math.max(most, Math.min(OPEN_PER_RISK * most, MAX_OPEN)), PROMPT_OPEN_MS);
    const atRisk = new FairPlaces(most, PROMPT_RISK_MS);
    const gate = new RiskGate(atRisk);
    this.dispatcher = new Dispatcher(this.desk(), { shaping, open, gate, maxWaiting: MAX_WAITING });
    this.keeper = new QueueKeeper(this.dispatcher, ledger, log);
    this.simulations = new BoundedWork(most, (job) => this.simulate(job));
    this.loop = new PollLoop({ name: 'delivery', round: () => this.claim(), pollMs: POLL_MS, restMs: REST_MS }, log);
    this.metrics = new DeliveryMetrics(metrics.registry, {
      inFlight: () => open.held,
      atRisk: () => atRisk.held,
      waitingByReason: () => this.dispatcher.waitingByReason(),
      oldestDue: () => ledger.oldestDue(),
      isDnsAway: () => outgoing.outage() !== null,
    });
    health.register('delivery', () => (worker.alive ? null : 'the heartbeat of this worker is not confirmed'));
    shutdown.on('work', 'delivery', () => this.stop());
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.worker.register();
    // An earlier standalone instance of this data directory is gone for certain: its claims need not wait for 20 s.
    await this.freeClaims(this.config.program === 'standalone' ? this.config.dataDir : undefined);
    this.timers = [
      setInterval(() => void this.freeClaims(), FREE_CLAIMS_MS),
      setInterval(() => void this.keeper.sweep(), SWEEP_MS),
    ];
    this.handOff.connect({
      worker: this.worker,
      welcomes: (domain) => this.dispatcher.welcomes(domain),
      take: (jobs) => this.take(jobs),
    });
    this.wakeups.on('due-mail', () => this.loop.wake());
    this.loop.start();
  }

  private async claim(): Promise<boolean> {
    const limit = Math.min(CLAIM_LIMIT, this.dispatcher.room);
    if (limit === 0 || !this.worker.alive) return false;
    const now = performance.now();
    if (this.outgoing.outage() !== null && now < this.claimedAt + NO_DNS_MS) return false;
    this.claimedAt = now;
    const jobs = await this.ledger.claim(limit, this.dispatcher.rooms());
    this.take(jobs);
    return jobs.length > 0;
  }

  private take(jobs: readonly DeliveryJob[]): void {
    for (const job of jobs) {
      const { real, simulated } = this.simulator.divide(job);
      if (simulated) {
        this.handOff.leave(job);
        this.simulated.add(simulated.job);
        this.simulations.add(simulated);
      }
      if (real) this.dispatcher.offer(real);
    }
  }

  private async simulate(simulated: SimulatedJob): Promise<void> {
    try {
      await this.simulator.deliver(simulated);
      this.simulated.delete(simulated.job);
    } catch (error) {
      this.log.error('delivery: a simulated job failed unexpectedly', error);
    }
  }

  private desk(): DispatchDesk {
    return {
      destination: (domain) => this.outgoing.destination(domain),
      outage: () => this.outgoing.outage(),
      sender: senderOf,
      send: (job, how) => this.outgoing.send(job, how),
      settle: async (job, outcomes) => {
        this.metrics.count(outcomes);
        await this.ledger.settle(job, outcomes);
      },
      holds: (job) => this.ledger.holds(job),
      postpone: (job, until, reason) => {
        this.metrics.wentBack(reason?.kind ?? 'none');
        return this.ledger.postpone(job, until, reason);
      },
      left: (job) => this.handOff.leave(job),
      hungry: () => this.loop.wake(),
      lost: (job) => this.log.warn('delivery: a claim was lost before sending', { email: job.mail.id }),
      failed: (error) => this.log.error('delivery: a job failed unexpectedly', error),
    };
  }

  private async freeClaims(home?: string): Promise<void> {
    try {
      const freed = await freeDeadClaims(this.database, {
        tables: ['recipients', 'webhook_deliveries'],
        except: this.worker.id,
        ...(home ? { home } : {}),
      });
      const unheld = await this.ledger.freeUnheld([...this.dispatcher.held, ...this.simulated]);
      if (unheld > 0) this.log.warn('freed claims of this worker that no job stood for', { claims: unheld });
      if (freed > 0) this.log.info('freed the claims of workers that are gone', { claims: freed });
      if (unheld + freed > 0) this.loop.wake();
    } catch (error) {
      this.log.warn('delivery: freeing claims failed', { reason: (error as Error).message });
    }
  }

  private async stop(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    this.handOff.disconnect();
    this.dispatcher.close();
    const unsimulated = this.simulations.stop();
    await this.loop.stop();
    await this.ledger.release((await unsimulated).map(({ job }) => job));
    await this.dispatcher.drained();
  }
}

function senderOf({ mail, recipients }: DeliveryJob): Sender {
  const address = mail.sender.slice(mail.sender.lastIndexOf('<') + 1).replace(/>$/, '');
  return { domain: domainOf(address), tags: mail.tags, recipients: recipients.length };
}
