import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { LocalDelivery, type DeliveryJob } from '#libs/emails';
import { LocalNotifications, Log, Poller, Shutdown } from '#libs/kernel';
import { ClaimSweep, untilAvailable, Worker } from '#libs/persistence';
import { claimKeysOf, Queue, type QueueClaim } from '../queue.js';
import { Dispatcher } from './dispatcher.js';
import { QueueMaintenance } from './queue-maintenance.js';
import { SimulatedJobs } from './simulated-jobs.js';

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
  private readonly claims: ClaimSweep<QueueClaim>;
  private sweeping: NodeJS.Timeout | undefined;
  /** Of `performance.now()`. */
  private claimedAt = -Infinity;

  constructor(
    private readonly queue: Queue,
    private readonly localDelivery: LocalDelivery,
    private readonly dispatcher: Dispatcher,
    private readonly simulated: SimulatedJobs,
    private readonly worker: Worker,
    private readonly notifications: LocalNotifications,
    private readonly log: Log,
    shutdown: Shutdown,
  ) {
    this.maintenance = new QueueMaintenance(dispatcher, queue, log);
    this.loop = new Poller({ name: 'delivery', round: () => this.claim(), pollMs: POLL_MS, minPauseMs: REST_MS }, log);
    this.claims = new ClaimSweep(
      {
        name: 'recipients',
        stored: () => queue.storedClaims(),
        held: () => [...dispatcher.activeJobs, ...this.simulated.active].flatMap(claimKeysOf),
        release: (claims) => queue.releaseClaims(claims),
        onReleased: () => this.loop.wake(),
      },
      worker,
      log,
    );
    shutdown.on('work', 'delivery', () => this.stop());
  }

  async onApplicationBootstrap(): Promise<void> {
    await untilAvailable('delivery', this.log, () => this.claims.start());
    this.sweeping = setInterval(() => void this.maintenance.sweep(), SWEEP_MS);
    this.localDelivery.connect({
      worker: this.worker,
      accepts: (job) => this.queue.isJournalWritten && this.dispatcher.accepts(job),
      take: (jobs) => this.take(jobs),
    });
    this.notifications.on('due-mail', () => this.loop.wake());
    this.loop.start();
  }

  private async claim(): Promise<boolean> {
    const limit = Math.min(CLAIM_LIMIT, this.dispatcher.availableSlots);
    if (limit === 0 || !this.worker.isAlive || !this.queue.isJournalWritten) return false;
    const now = performance.now();
    if (this.dispatcher.hasDnsOutage && now < this.claimedAt + DNS_OUTAGE_CLAIM_MS) return false;
    this.claimedAt = now;
    return this.worker.claim(async () => {
      const jobs = await this.queue.claim(limit, this.dispatcher.claimLimits());
      this.take(jobs);
      return jobs.length > 0;
    });
  }

  private take(jobs: readonly DeliveryJob[]): void {
    for (const job of jobs) {
      const real = this.simulated.take(job);
      if (real) this.dispatcher.offer(real);
    }
  }

  private async stop(): Promise<void> {
    clearInterval(this.sweeping);
    this.claims.stop();
    this.localDelivery.disconnect();
    this.dispatcher.stop();
    const unsimulated = this.simulated.stop();
    await this.loop.stop();
    await this.queue.release(await unsimulated);
    await this.dispatcher.drained();
  }
}
