import { databaseClock, type Log } from '#libs/kernel';
import type { Dispatcher } from './dispatcher.js';
import type { DestinationQueue } from './destination-queue.js';
import type { Queue } from '../queue.js';

/** A shorter closure is not written to the database: claims skip the domains meanwhile. */
const MIN_CLOSURE_MS = 10_000;
/** Time until a closed queue is looked at again after nothing was found to requeue. */
const AGAIN_MS = 5_000;

/** Sweeps the dispatcher, and writes to unclaimed recipients of closed queues why and until when they wait. */
export class QueueMaintenance {
  /** When a closed queue is looked at again, by name; of `performance.now()`. */
  private readonly next = new Map<string, number>();
  private running = false;

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
    } catch (error) {
      this.log.warn('delivery: requeueing a closed queue failed', { reason: (error as Error).message });
    } finally {
      this.running = false;
    }
  }

  private async requeueClosed(queue: DestinationQueue): Promise<void> {
    const { name, domains } = queue;
    const now = performance.now();
    const closure = queue.currentClosure();
    if (!closure || (this.next.get(name) ?? 0) > now) return;
    if (closure.until.getTime() - databaseClock.now() < MIN_CLOSURE_MS) return;
    const requeued = await this.queue.requeueDomains([...domains], closure.until, closure.reason);
    this.next.set(name, requeued > 0 ? now : now + AGAIN_MS);
  }
}
