import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { LocalDelivery, type DeliveryJob } from '#libs/emails';
import { Config, Health, Log, Shutdown, Poller, LocalNotifications } from '#libs/kernel';
import { ClaimSweep, untilAvailable, Worker } from '#libs/persistence';
import { claimKeysOf, Queue, type QueueClaim } from '../queue.js';
import { BoundedWork } from './bounded-work.js';
import { CourierAdapter } from './courier-adapter.js';
import { DeliveryMetrics } from './delivery-metrics.js';
import { DispatchLimits } from './dispatch-limits.js';
import { Dispatcher } from './dispatcher.js';
import { QueueMaintenance } from './queue-maintenance.js';
import { SimulatedDelivery, type SimulatedJob } from './simulated-delivery.js';

const POLL_MS = 100;
/** Least time between two claims that find nothing. */
const REST_MS = 20;
const SWEEP_MS = 500;
/** Time between two claims during a DNS outage, in which nearly every claimed job is requeued. */
const DNS_OUTAGE_CLAIM_MS = 1_000;
/** Recipients of one claim. */
const CLAIM_LIMIT = 200;

/**
 * Queue → courier → queue. Jobs come from local delivery and from claims; the dispatcher starts each as soon as its
 * destination admits it. DELIVERY_CONCURRENCY bounds the messages between MAIL and the commit of their outcome, and so
 * the messages that a crash can send twice.
 */
@Injectable()
export class DeliveryLoop implements OnApplicationBootstrap {
  private readonly loop: Poller;
  private readonly maintenance: QueueMaintenance;
  private readonly simulations: BoundedWork<SimulatedJob>;
  /** Simulated jobs until their outcome is written. */
  private readonly simulated = new Set<DeliveryJob>();
  private readonly claims: ClaimSweep<QueueClaim>;
  private sweeping: NodeJS.Timeout | undefined;
  /** Of `performance.now()`. */
  private claimedAt = -Infinity;

  constructor(
    private readonly queue: Queue,
    private readonly localDelivery: LocalDelivery,
    private readonly dispatcher: Dispatcher,
    private readonly courier: CourierAdapter,
    private readonly simulator: SimulatedDelivery,
    private readonly worker: Worker,
    { settings }: Config,
    private readonly notifications: LocalNotifications,
    private readonly log: Log,
    limits: DispatchLimits,
    shutdown: Shutdown,
    health: Health,
    metrics: DeliveryMetrics,
  ) {
    this.maintenance = new QueueMaintenance(dispatcher, queue, log);
    this.simulations = new BoundedWork(settings.DELIVERY_CONCURRENCY, (job) => this.simulate(job));
    this.loop = new Poller({ name: 'delivery', round: () => this.claim(), pollMs: POLL_MS, minPauseMs: REST_MS }, log);
    this.claims = new ClaimSweep(
      {
        name: 'recipients',
        stored: () => queue.storedClaims(),
        held: () => [...dispatcher.activeJobs, ...this.simulated].flatMap(claimKeysOf),
        release: (claims) => queue.releaseClaims(claims),
        onReleased: () => this.loop.wake(),
      },
      worker,
      log,
    );
    metrics.observe({
      inFlight: () => limits.open.held,
      unsettled: () => limits.unsettled.held,
      waitingByReason: () => dispatcher.waitingByReason(),
      oldestDue: () => queue.oldestDue(),
      isDnsUnavailable: () => courier.outage() !== null,
    });
    health.register('delivery', () => (worker.isAlive ? null : 'the heartbeat of this worker is not confirmed'));
    shutdown.on('work', 'delivery', () => this.stop());
  }

  async onApplicationBootstrap(): Promise<void> {
    await untilAvailable('delivery', this.log, () => this.claims.start());
    this.sweeping = setInterval(() => void this.maintenance.sweep(), SWEEP_MS);
    this.localDelivery.connect({
      worker: this.worker,
      accepts: (domain) => this.dispatcher.accepts(domain),
      take: (jobs) => this.take(jobs),
    });
    this.notifications.on('due-mail', () => this.loop.wake());
    this.loop.start();
  }

  private async claim(): Promise<boolean> {
    const limit = Math.min(CLAIM_LIMIT, this.dispatcher.availableSlots);
    if (limit === 0 || !this.worker.isAlive) return false;
    const now = performance.now();
    if (this.courier.outage() !== null && now < this.claimedAt + DNS_OUTAGE_CLAIM_MS) return false;
    this.claimedAt = now;
    return this.worker.claim(async () => {
      const jobs = await this.queue.claim(limit, this.dispatcher.claimLimits());
      this.take(jobs);
      return jobs.length > 0;
    });
  }

  private take(jobs: readonly DeliveryJob[]): void {
    for (const job of jobs) {
      const { real, simulated } = this.simulator.divide(job);
      if (simulated) {
        this.localDelivery.leave(job);
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

  private async stop(): Promise<void> {
    clearInterval(this.sweeping);
    this.claims.stop();
    this.localDelivery.disconnect();
    this.dispatcher.stop();
    const unsimulated = this.simulations.stop();
    await this.loop.stop();
    await this.queue.release((await unsimulated).map(({ job }) => job));
    await this.dispatcher.drained();
  }
}
