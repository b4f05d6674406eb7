import { databaseClock, type Log } from '#libs/kernel';
import type { Dispatcher } from './dispatcher.js';
import type { DestinationQueue } from './destination-queue.js';
import type { Queue } from '../queue.js';

/** A shorter closure is not written to the database: claims skip the domains meanwhile. */
const MIN_CLOSURE_MS = 10_000;
/** Time until a closed queue is looked at again after nothing was found to requeue. */
const AGAIN_MS = 5_000;

/** Time between two looks for held mail whose account may send again. */
const HELD_MS = 1_000;

/**
 * Sweeps the dispatcher, writes to unclaimed recipients of closed queues why and until when they wait, and releases held
 * mail.
 */
export class QueueMaintenance {
  /** When a closed queue is looked at again, by name; of `performance.now()`. */
  private readonly next = new Map<string, number>();
  private running = false;
  /** When held mail is looked for again; of `performance.now()`. */
  private nextHeld = 0;

  constructor(
    private readonly dispatcher: Dispatcher,
    private readonly queue: Queue,
    private readonly log: Log,
  ) {}

  async sweep(): Promise<void> {
    this.dispatcher.sweep();
    if (this.running) return;
    this.running = true;
    try {
      const closed = this.dispatcher.closedQueues();
      for (const name of this.next.keys()) if (!closed.some((queue) => queue.name === name)) this.next.delete(name);
      for (const queue of closed) await this.requeueClosed(queue);
      await this.releaseHeld();
    } catch (error) {
      this.log.warn('delivery: the maintenance of the queue failed', { reason: (error as Error).message });
    } finally {
      this.running = false;
    }
  }

  private async releaseHeld(): Promise<void> {
    const now = performance.now();
    if (now < this.nextHeld) return;
    // After a batch there may be more.
    this.nextHeld = (await this.queue.releaseHeld()) > 0 ? 0 : now + HELD_MS;
  }

  private async requeueClosed(queue: DestinationQueue): Promise<void> {
    const { name, domains, isPenalty } = queue;
    const now = performance.now();
    const closure = queue.currentClosure();
    if (!closure || (this.next.get(name) ?? 0) > now) return;
    if (closure.until.getTime() - databaseClock.now() < MIN_CLOSURE_MS) return;
    const requeued = await this.queue.requeueDomains({ ...closure, domains: [...domains], isPenalty });
    this.next.set(name, requeued > 0 ? now : now + AGAIN_MS);
  }
}
