import type { Destination, Obstacle, Shaping } from '#libs/mta';
import { isWithinShare, type FairPlaces } from './fair-places.js';
import { MailQueue } from './mail-queue.js';

/** Jobs of a queue that wait in memory after a claim: one that is quick empties them between two claims. */
const PROMPT_SHARE = 100;
/** The same of a queue of which nothing is known yet. */
export const SHARE = 20;
/** A queue whose first job waits that long takes nothing more into memory. */
const SLOW_MS = 1_000;
const FORGET_MS = 60_000;

/** The queues of this process, and how much each may take. */
export class QueueBook {
  private readonly queues = new Map<string, MailQueue>();

  constructor(
    private readonly shaping: Shaping,
    private readonly open: FairPlaces,
  ) {}

  [Symbol.iterator](): Iterator<MailQueue> {
    return this.queues.values();
  }

  of(destination: Destination): MailQueue {
    let queue = this.queues.get(destination.queue);
    if (!queue) this.queues.set(destination.queue, (queue = new MailQueue(destination)));
    return queue;
  }

  /** Why nothing of the queue begins now; ends early when shaping lets something begin again (an operator's word). */
  closureOf(queue: MailQueue): Obstacle | null {
    const { closure } = queue;
    if (closure && (closure.until.getTime() <= Date.now() || this.shaping.room(queue.destination) > 0))
      queue.closure = null;
    return queue.closure;
  }

  /** Whether one job more may be claimed for it by the hand-off, while `free` jobs more may wait in memory. */
  welcomes(destination: Destination, free: number): boolean {
    const queue = this.queues.get(destination.queue);
    if (!queue) return free > 0;
    if (this.closureOf(queue) || queue.oldestWaitMs() > SLOW_MS) return false;
    if (this.open.isPrompt(queue.name)) return free > 0;
    const most = queue.isStalled ? this.shaping.room(destination) : PROMPT_SHARE;
    return queue.waiting.length < most && isWithinShare(queue.waiting.length, free);
  }

  /** How many recipients of which domain a claim may bring; a domain that is not named is as one that is not known. */
  rooms(): Record<string, number> {
    const rooms: Record<string, number> = {};
    for (const queue of this.queues.values()) {
      if (queue.isIdle && !queue.isStalled && !this.closureOf(queue)) continue;
      const each = Math.ceil(this.roomOf(queue) / Math.max(1, queue.domains.size));
      for (const domain of queue.domains) rooms[domain] = each;
    }
    return rooms;
  }

  closed(): MailQueue[] {
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

  private roomOf(queue: MailQueue): number {
    if (this.closureOf(queue) || queue.oldestWaitMs() > SLOW_MS) return 0;
    const room = this.shaping.room(queue.destination);
    // A queue in which nothing begins and nothing runs: the one job that asks is told why, and until when.
    if (room === 0 && queue.running === 0) return queue.waiting.length === 0 ? 1 : 0;
    if (queue.isStalled) return Math.max(0, Math.min(SHARE, room) - queue.waiting.length);
    const share = this.open.isPrompt(queue.name) ? PROMPT_SHARE : SHARE;
    return Math.max(0, Math.min(share, 2 * (queue.running + room)) - queue.waiting.length);
  }
}
