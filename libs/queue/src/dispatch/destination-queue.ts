import type { DeliveryJob } from '#libs/emails';
import { databaseClock } from '#libs/kernel';
import type { Deferral, Destination, Throttling, WaitReason } from '#libs/mta';

interface WaitingJob {
  job: DeliveryJob;
  /** Of `performance.now()`. */
  since: number;
}

/** Jobs of a queue about which nothing is known that may wait in memory. */
export const UNKNOWN_SHARE = 20;
/** A job is requeued after this long in memory while nothing of its queue ends, and after the longer time otherwise. */
const STALLED_WAIT_MS = 3_000;
const MAX_WAIT_MS = 10_000;
/** Domains remembered per queue; further ones are treated as unknown. */
const MAX_DOMAINS = 1_000;

/** Jobs waiting in memory for one destination, and its state, which only the methods of the queue change. */
export class DestinationQueue {
  private readonly waiting: WaitingJob[] = [];
  private readonly knownDomains = new Set<string>();
  private runningCount = 0;
  private closure: Deferral | null = null;
  private waitReason: WaitReason | null = null;
  private stalled = false;
  /** Jobs were claimed for this queue: there may be more in the database. */
  private mayHaveMore = false;
  private touchedAt = performance.now();
  /** When a job of this queue last ended. */
  private endedAt = -Infinity;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    readonly destination: Destination,
    private readonly throttling: Pick<Throttling, 'availableSlots'>,
  ) {}

  get name(): string {
    return this.destination.queue;
  }

  /** Number of waiting jobs. */
  get length(): number {
    return this.waiting.length;
  }

  /** Jobs that were started and whose outcome is pending. */
  get running(): number {
    return this.runningCount;
  }

  /** Recipient domains that led to this destination. */
  get domains(): ReadonlySet<string> {
    return this.knownDomains;
  }

  /** Why jobs wait in memory; null: for a permit. */
  get reason(): WaitReason | null {
    return this.waitReason;
  }

  /** Jobs were requeued after a long wait, and nothing has ended quickly since: only jobs that can start at once are taken. */
  get isStalled(): boolean {
    return this.stalled;
  }

  get isIdle(): boolean {
    return this.waiting.length === 0 && this.runningCount === 0;
  }

  /** Of the first job in milliseconds; 0 when none waits. */
  oldestWaitMs(): number {
    return this.waiting.length === 0 ? 0 : performance.now() - this.waiting[0].since;
  }

  peek(index: number): DeliveryJob {
    return this.waiting[index].job;
  }

  /**
   * Why nothing of the queue may start and due recipients wait in the database; null if it is open. The closure ends early
   * when the throttle admits jobs again, for example after an operator's command.
   */
  currentClosure(): Deferral | null {
    if (this.closure && (this.closure.until.getTime() <= databaseClock.now() || this.availableSlots() > 0))
      this.closure = null;
    return this.closure;
  }

  availableSlots(): number {
    return this.throttling.availableSlots(this.destination);
  }

  /** Null: the job waits here now. Otherwise the queue is closed and does not take it, but knows its domain. */
  add(job: DeliveryJob): Deferral | null {
    this.touchedAt = performance.now();
    if (this.knownDomains.size < MAX_DOMAINS) this.knownDomains.add(job.domain);
    // A job of local delivery brings its content along.
    if (job.content === undefined) this.mayHaveMore = true;
    const closure = this.currentClosure();
    if (closure === null) this.waiting.push({ job, since: this.touchedAt });
    return closure;
  }

  /** Removes a waiting job, which is requeued. */
  remove(index: number): DeliveryJob {
    const [{ job }] = this.waiting.splice(index, 1);
    return job;
  }

  /** The throttle admits none of the first jobs now. */
  waitFor(reason: WaitReason): void {
    this.waitReason = reason;
  }

  /** Calls `wake` after `ms`, and not at the time of an earlier call. */
  wakeIn(ms: number, wake: () => void): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(wake, ms);
  }

  /** Starts a waiting job. `wantsMore`: more jobs of the queue should be claimed, as few wait. */
  start(index: number): { job: DeliveryJob; wantsMore: boolean } {
    const job = this.remove(index);
    this.runningCount += 1;
    this.waitReason = null;
    const wantsMore = this.mayHaveMore && this.waiting.length <= UNKNOWN_SHARE / 2;
    if (wantsMore) this.mayHaveMore = false;
    return { job, wantsMore };
  }

  /** A started job has ended. Returns true if the queue was stalled; it stays so until a job of a fast queue ends. */
  end(isFast: () => boolean): boolean {
    this.runningCount -= 1;
    this.endedAt = performance.now();
    if (!this.stalled) return false;
    this.stalled = !isFast();
    return true;
  }

  /** Nothing starts before `closure.until`. Returns the waiting jobs, which are requeued. */
  close(closure: Deferral): DeliveryJob[] {
    this.closure = closure;
    return this.take(this.waiting.length);
  }

  /** Stalls the queue if jobs have waited for too long. Returns them; they are requeued. */
  stallOverdue(): DeliveryJob[] {
    const now = performance.now();
    const maxWaitMs = now - this.endedAt < STALLED_WAIT_MS ? MAX_WAIT_MS : STALLED_WAIT_MS;
    if (this.oldestWaitMs() <= maxWaitMs) return [];
    this.stalled = true;
    const kept = this.waiting.findIndex(({ since }) => since > now - STALLED_WAIT_MS);
    return this.take(kept === -1 ? this.waiting.length : kept);
  }

  /** True if the queue has been idle and open since `before`, of `performance.now()`. */
  isUnusedSince(before: number): boolean {
    return this.isIdle && this.touchedAt < before && this.currentClosure() === null;
  }

  /** The queue is not looked at again. Returns the waiting jobs. */
  stop(): DeliveryJob[] {
    clearTimeout(this.timer);
    return this.take(this.waiting.length);
  }

  private take(count: number): DeliveryJob[] {
    return this.waiting.splice(0, count).map(({ job }) => job);
  }
}
