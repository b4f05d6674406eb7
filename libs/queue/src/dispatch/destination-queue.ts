import { queueNames } from '#libs/contracts';
import type { DeliveryJob } from '#libs/emails';
import { databaseClock } from '#libs/kernel';
import type { Deferral, Destination, Throttling, WaitReason } from '#libs/mta';

interface WaitingJob {
  job: DeliveryJob;
  /** Of `performance.now()`. */
  since: number;
  /** Position in virtual time: recipients by the weight of the account. */
  turn: number;
  /** Of bulk mail: transactional jobs of the same account that took its turn while it was the first that yields. */
  passed: number;
}

interface AccountTurns {
  /** The turn after the last job of the account, waiting or started. */
  nextTurn: number;
  /** Number of waiting jobs. */
  waiting: number;
}

/** Jobs of a queue about which nothing is known that may wait in memory. */
export const UNKNOWN_SHARE = 20;
/** A job is requeued after this long in memory while nothing of its queue ends, and after the longer time otherwise. */
const STALLED_WAIT_MS = 3_000;
const MAX_WAIT_MS = 10_000;
/** Transactional jobs that a bulk job of the same account lets pass. */
const MAX_PASSED = 9;
/** Accounts without a waiting job that are remembered beyond the number of waiting jobs before the outdated ones are removed. */
const REMEMBERED_ACCOUNTS = 50;
/** A queue for which claims found mail within this time has a backlog in the database. */
const BACKLOG_MS = 1_000;
/** Domains remembered per queue; further ones are treated as unknown. */
const MAX_DOMAINS = 1_000;

/**
 * Jobs waiting in memory for one destination, and its state, which only the methods of the queue change. Accounts take
 * turns by recipients and weight (start-time fair queueing): a job of an account without waiting jobs comes before the second
 * ones of all others. The turns of an account go to its transactional jobs first, and one in ten to a bulk job.
 */
export class DestinationQueue {
  /** In order of their turns. */
  private waiting: WaitingJob[] = [];
  /** The same in order of arrival. */
  private readonly arrivals = new Set<WaitingJob>();
  /** Accounts with waiting jobs, and those whose next turn is still to come. */
  private readonly accounts = new Map<string, AccountTurns>();
  /** The turn of the job that started last. */
  private turn = 0;
  private readonly knownDomains = new Set<string>();
  private runningCount = 0;
  private closure: Deferral | null = null;
  private waitReason: WaitReason | null = null;
  private stalled = false;
  /** Jobs were claimed for this queue: there may be more in the database. */
  private mayHaveMore = false;
  /** When a claimed job came last, and when one came last of another account than that. */
  private claimed = { accountId: '', at: -Infinity };
  private claimedOfOthersAt = -Infinity;
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

  /** Of mail that leaves from the penalty pool. */
  get isPenalty(): boolean {
    return queueNames.penaltyQueue.is(this.name);
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

  /** Of the job that has waited for longest, in milliseconds; 0 when none waits. */
  oldestWaitMs(): number {
    const [oldest] = this.arrivals;
    return oldest === undefined ? 0 : performance.now() - oldest.since;
  }

  /** Other accounts than this have had jobs that waited in the database. */
  isContended(accountId: string): boolean {
    const at = this.claimed.accountId === accountId ? this.claimedOfOthersAt : this.claimed.at;
    return performance.now() - at < BACKLOG_MS;
  }

  /** Accounts with jobs that wait here. */
  waitingAccounts(): string[] {
    return [...this.accounts].flatMap(([id, { waiting }]) => (waiting > 0 ? [id] : []));
  }

  isWaitingFor(accountId: string): boolean {
    return (this.accounts.get(accountId)?.waiting ?? 0) > 0;
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
    if (job.content === undefined) {
      this.mayHaveMore = true;
      const { accountId } = job.email;
      if (accountId !== this.claimed.accountId) this.claimedOfOthersAt = this.claimed.at;
      this.claimed = { accountId, at: this.touchedAt };
    }
    const closure = this.currentClosure();
    if (closure === null) this.insert(job);
    return closure;
  }

  /** Removes a waiting job, which is requeued. */
  remove(index: number): DeliveryJob {
    const [one] = this.waiting.splice(index, 1);
    this.leave(one);
    return one.job;
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
    this.turn = Math.max(this.turn, this.waiting[index].turn);
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
    return this.take();
  }

  /** Stalls the queue if jobs have waited for too long. Returns them; they are requeued. */
  stallOverdue(): DeliveryJob[] {
    const now = performance.now();
    const maxWaitMs = now - this.endedAt < STALLED_WAIT_MS ? MAX_WAIT_MS : STALLED_WAIT_MS;
    if (this.oldestWaitMs() <= maxWaitMs) return [];
    this.stalled = true;
    return this.take(({ since }) => since <= now - STALLED_WAIT_MS);
  }

  /** True if the queue has been idle and open since `before`, of `performance.now()`. */
  isUnusedSince(before: number): boolean {
    return this.isIdle && this.touchedAt < before && this.currentClosure() === null;
  }

  /** The queue is not looked at again. Returns the waiting jobs. */
  stop(): DeliveryJob[] {
    clearTimeout(this.timer);
    return this.take();
  }

  private insert(job: DeliveryJob): void {
    const { accountId } = job.email;
    const account = this.accounts.get(accountId) ?? { nextTurn: this.turn, waiting: 0 };
    const turn = Math.max(this.turn, account.nextTurn);
    this.accounts.set(accountId, {
      nextTurn: turn + job.recipients.length / job.weight,
      waiting: account.waiting + 1,
    });
    const index = this.waiting.findLastIndex((other) => other.turn <= turn) + 1;
    const one = { job, since: this.touchedAt, turn, passed: 0 };
    this.waiting.splice(index, 0, one);
    this.arrivals.add(one);
    if (!job.isBulk && account.waiting > 0) this.passBulk(one, index);
    this.forgetTurns();
  }

  /**
   * A new transactional job takes the turn of the first bulk job of its account that yields, and the bulk jobs move to the next turns
   * of the account, so that other accounts neither gain nor lose.
   */
  private passBulk(one: WaitingJob, index: number): void {
    const { accountId } = one.job.email;
    const yielding: number[] = [];
    for (let i = 0; i < index; i += 1) {
      const { job, passed } = this.waiting[i];
      if (job.isBulk && passed < MAX_PASSED && job.email.accountId === accountId) yielding.push(i);
    }
    if (yielding.length === 0) return;
    const bulk = yielding.map((i) => this.waiting[i]);
    bulk[0].passed += 1;
    const places = [...yielding, index];
    const turns = places.map((i) => this.waiting[i].turn);
    [one, ...bulk].forEach((moved, i) => {
      moved.turn = turns[i];
      this.waiting[places[i]] = moved;
    });
  }

  private leave(one: WaitingJob): void {
    this.arrivals.delete(one);
    const account = this.accounts.get(one.job.email.accountId);
    if (account !== undefined) account.waiting -= 1;
    this.forgetTurns();
  }

  /** Removes accounts that have no waiting job and whose next turn would begin now. */
  private forgetTurns(): void {
    if (this.accounts.size <= this.arrivals.size + REMEMBERED_ACCOUNTS) return;
    for (const [id, { nextTurn, waiting }] of this.accounts)
      if (waiting === 0 && nextTurn <= this.turn) this.accounts.delete(id);
  }

  private take(which: (one: WaitingJob) => boolean = () => true): DeliveryJob[] {
    const taken = this.waiting.filter(which);
    this.waiting = this.waiting.filter((one) => !which(one));
    for (const one of taken) this.leave(one);
    return taken.map(({ job }) => job);
  }
}
