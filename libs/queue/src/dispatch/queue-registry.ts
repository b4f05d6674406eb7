import type { Destination, Deferral, Throttling } from '#libs/mta';
import { isWithinShare, type FairSemaphore } from './fair-semaphore.js';
import { DestinationQueue } from './destination-queue.js';
import { databaseClock } from '#libs/kernel';

/** Jobs of a fast queue that may wait in memory after a claim. */
const FAST_SHARE = 100;
/** Jobs of any other queue that may wait in memory. */
export const UNKNOWN_SHARE = 20;
/** A queue whose first job has waited this long takes no further jobs into memory. */
const SLOW_MS = 1_000;
const FORGET_MS = 60_000;

/** The queues of this process, and how many jobs each may take. */
export class QueueRegistry {
  private readonly queues = new Map<string, DestinationQueue>();

  constructor(
    private readonly throttling: Throttling,
    private readonly open: FairSemaphore,
  ) {}

  [Symbol.iterator](): Iterator<DestinationQueue> {
    return this.queues.values();
  }

  of(destination: Destination): DestinationQueue {
    let queue = this.queues.get(destination.queue);
    if (!queue) this.queues.set(destination.queue, (queue = new DestinationQueue(destination)));
    return queue;
  }

  /**
   * Why nothing of the queue may start; ends early when the throttle admits jobs again, for example after an operator's
   * command.
   */
  closureOf(queue: DestinationQueue): Deferral | null {
    const { closure } = queue;
    if (
      closure &&
      (closure.until.getTime() <= databaseClock.now() || this.throttling.availableSlots(queue.destination) > 0)
    )
      queue.closure = null;
    return queue.closure;
  }

  /** Whether local delivery may pass on one more job, with `free` slots in memory left. */
  accepts(destination: Destination, free: number): boolean {
    const queue = this.queues.get(destination.queue);
    if (!queue) return free > 0;
    if (this.closureOf(queue) || queue.oldestWaitMs() > SLOW_MS) return false;
    if (this.open.isFast(queue.name)) return free > 0;
    const most = queue.isStalled ? this.throttling.availableSlots(destination) : FAST_SHARE;
    return queue.waiting.length < most && isWithinShare(queue.waiting.length, free);
  }

  /** How many recipients a claim may take, by domain. Domains not named are unknown. */
  claimLimits(): Record<string, number> {
    const limits: Record<string, number> = {};
    for (const queue of this.queues.values()) {
      if (queue.isIdle && !queue.isStalled && !this.closureOf(queue)) continue;
      const each = Math.ceil(this.claimLimitOf(queue) / Math.max(1, queue.domains.size));
      for (const domain of queue.domains) limits[domain] = each;
    }
    return limits;
  }

  closed(): DestinationQueue[] {
    return [...this.queues.values()].filter((queue) => this.closureOf(queue));
  }

  forgetIdle(): void {
    const before = performance.now() - FORGET_MS;
    for (const queue of this.queues.values())
      if (queue.isIdle && queue.touchedAt < before && !this.closureOf(queue)) {
        clearTimeout(queue.timer);
        this.queues.delete(queue.name);
      }
  }

  private claimLimitOf(queue: DestinationQueue): number {
    if (this.closureOf(queue) || queue.oldestWaitMs() > SLOW_MS) return 0;
    const slots = this.throttling.availableSlots(queue.destination);
    // Nothing of this queue can start and nothing is running: one job is claimed to learn why, and until when.
    if (slots === 0 && queue.running === 0) return queue.waiting.length === 0 ? 1 : 0;
    if (queue.isStalled) return Math.max(0, Math.min(UNKNOWN_SHARE, slots) - queue.waiting.length);
    const share = this.open.isFast(queue.name) ? FAST_SHARE : UNKNOWN_SHARE;
    return Math.max(0, Math.min(share, 2 * (queue.running + slots)) - queue.waiting.length);
  }
}
