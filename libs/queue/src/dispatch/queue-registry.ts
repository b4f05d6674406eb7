import { queueNames } from '#libs/contracts';
import type { Destination, Throttling } from '#libs/mta';
import { isWithinShare, type FairSemaphore } from './fair-semaphore.js';
import { DestinationQueue, UNKNOWN_SHARE } from './destination-queue.js';

/** Jobs of a fast queue that may wait in memory after a claim. */
const FAST_SHARE = 100;
/** A queue whose first job has waited this long takes no further jobs into memory. */
const SLOW_MS = 1_000;
/** Jobs of accounts without a waiting job that a queue takes beyond its share, per claim and in all. */
const NEWCOMERS = 5;
const MAX_NEWCOMERS = FAST_SHARE;
const FORGET_MS = 60_000;
/** Accounts that one claim leaves out because of their penalty pool. */
const MAX_PENALISED = 100;

/** The queues of this process, and how many jobs each may take. */
export class QueueRegistry {
  private readonly queues = new Map<string, DestinationQueue>();

  constructor(
    private readonly throttling: Throttling,
    private readonly open: FairSemaphore,
    private readonly penalised: () => ReadonlySet<string>,
  ) {}

  [Symbol.iterator](): Iterator<DestinationQueue> {
    return this.queues.values();
  }

  of(destination: Destination): DestinationQueue {
    let queue = this.queues.get(destination.queue);
    if (!queue) this.queues.set(destination.queue, (queue = new DestinationQueue(destination, this.throttling)));
    return queue;
  }

  /** Whether local delivery may pass on one more job of an account, with `free` slots in memory left. */
  accepts(destination: Destination, accountId: string, free: number): boolean {
    const queue = this.queues.get(destination.queue);
    if (!queue) return free > 0;
    if (queue.currentClosure()) return false;
    if (this.newcomersOf(queue) > 0 && !queue.isWaitingFor(accountId)) return free > 0;
    if (queue.oldestWaitMs() > SLOW_MS) return false;
    // Claims give accounts equal shares; handed over in memory, further mail of this one would come before the mail of others.
    if (queue.isContended(accountId)) return false;
    if (this.open.isFast(queue.name)) return free > 0;
    const most = queue.isStalled ? queue.availableSlots() : FAST_SHARE;
    return queue.length < most && isWithinShare(queue.length, free);
  }

  /** How many recipients a claim may take, by domain, and of which accounts none. Domains not named are unknown. */
  claimLimits(): { byDomain: Record<string, number>; without: Record<string, string[]> } {
    const byDomain: Record<string, number> = {};
    const without: Record<string, string[]> = {};
    const penalised = [...this.penalised()].slice(0, MAX_PENALISED);
    for (const queue of this.queues.values()) {
      if (queue.isIdle && !queue.isStalled && !queue.currentClosure()) continue;
      if (queue.isPenalty) continue;
      const limit = this.claimLimitOf(queue);
      const newcomers = limit > 0 ? 0 : this.newcomersOf(queue);
      const each = Math.ceil(Math.max(limit, newcomers) / Math.max(1, queue.domains.size));
      for (const domain of queue.domains) {
        byDomain[domain] = each;
        if (newcomers > 0) without[domain] = queue.waitingAccounts();
      }
    }
    if (penalised.length > 0) this.addPenaltyLimits(byDomain, without, penalised);
    return { byDomain, without };
  }

  /**
   * Mail of the penalty pool is claimed with that of the same domains: it is left out while its own queue takes none, and a
   * closed ordinary queue, whose mail is not due then, does not keep it from being claimed.
   */
  private addPenaltyLimits(
    byDomain: Record<string, number>,
    without: Record<string, string[]>,
    penalised: readonly string[],
  ): void {
    for (const queue of this.queues.values()) {
      const own = queue.isPenalty ? queue : this.queues.get(queueNames.penaltyQueue.nameOf(queue.name));
      const limit = own === undefined ? 1 : this.claimLimitOf(own);
      for (const domain of queue.domains) {
        if (queue.isPenalty && limit === 0) without[domain] = [...(without[domain] ?? []), ...penalised];
        else if (!queue.isPenalty && limit > 0 && queue.currentClosure()) byDomain[domain] = limit;
      }
    }
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

  /**
   * A queue that has its share of jobs, and lets some start, takes jobs of further accounts: otherwise these would wait until
   * those of the others have ended.
   */
  private newcomersOf(queue: DestinationQueue): number {
    if (queue.currentClosure() || queue.isStalled || queue.length === 0) return 0;
    return Math.min(NEWCOMERS, MAX_NEWCOMERS - queue.waitingAccounts().length);
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
