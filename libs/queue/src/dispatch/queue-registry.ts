import type { Destination, Throttling } from '#libs/mta';
import { isWithinShare, type FairSemaphore } from './fair-semaphore.js';
import { DestinationQueue, UNKNOWN_SHARE } from './destination-queue.js';

/** Jobs of a fast queue that may wait in memory after a claim. */
const FAST_SHARE = 100;
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
    if (!queue) this.queues.set(destination.queue, (queue = new DestinationQueue(destination, this.throttling)));
    return queue;
  }

  /** Whether local delivery may pass on one more job, with `free` slots in memory left. */
  accepts(destination: Destination, free: number): boolean {
    const queue = this.queues.get(destination.queue);
    if (!queue) return free > 0;
    if (queue.currentClosure() || queue.oldestWaitMs() > SLOW_MS) return false;
    if (this.open.isFast(queue.name)) return free > 0;
    const most = queue.isStalled ? queue.availableSlots() : FAST_SHARE;
    return queue.length < most && isWithinShare(queue.length, free);
  }

  /** How many recipients a claim may take, by domain. Domains not named are unknown. */
  claimLimits(): Record<string, number> {
    const limits: Record<string, number> = {};
    for (const queue of this.queues.values()) {
      if (queue.isIdle && !queue.isStalled && !queue.currentClosure()) continue;
      const each = Math.ceil(this.claimLimitOf(queue) / Math.max(1, queue.domains.size));
      for (const domain of queue.domains) limits[domain] = each;
    }
    return limits;
  }

  closed(): DestinationQueue[] {
    return [...this.queues.values()].filter((queue) => queue.currentClosure());
  }

  forgetIdle(): void {
    const before = performance.now() - FORGET_MS;
    for (const queue of this.queues.values())
      if (queue.isUnusedSince(before)) {
        queue.stop();
        this.queues.delete(queue.name);
      }
  }

  private claimLimitOf(queue: DestinationQueue): number {
    if (queue.currentClosure() || queue.oldestWaitMs() > SLOW_MS) return 0;
    const slots = queue.availableSlots();
    // Nothing of this queue can start and nothing is running: one job is claimed to learn why, and until when.
    if (slots === 0 && queue.running === 0) return queue.length === 0 ? 1 : 0;
    if (queue.isStalled) return Math.max(0, Math.min(UNKNOWN_SHARE, slots) - queue.length);
    const share = this.open.isFast(queue.name) ? FAST_SHARE : UNKNOWN_SHARE;
    return Math.max(0, Math.min(share, 2 * (queue.running + slots)) - queue.length);
  }
}
