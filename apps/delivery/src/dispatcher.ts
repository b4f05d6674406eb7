import type { ClaimRooms, DeliveryJob } from '#libs/emails';
import { PassingSet } from '#libs/kernel';
import type { Destination, Obstacle, Outcome, Pass, Sender, Shaping, SourceAddress, WaitReason } from '#libs/mta';
import { Destinations } from './destinations.js';
import { isWithinShare, type FairPlaces, type Place } from './fair-places.js';
import type { MailQueue } from './mail-queue.js';
import { noDns } from './no-dns.js';
import { QueueBook, SHARE } from './queue-book.js';
import type { RiskGate } from './risk-gate.js';
import { Risk } from './risk.js';

/** What the dispatcher needs of the world; none of it throws but what is said to reject. */
export interface DispatchDesk {
  /** Null: none of our name servers answers. */
  destination(domain: string): Promise<Destination | null>;
  /** A sentence, while none of our name servers answers; what needs them is abandoned. Else null. */
  outage(): string | null;
  sender(job: DeliveryJob): Sender;
  /** `mayStart` is asked before each MAIL. */
  send(
    job: DeliveryJob,
    how: { source: SourceAddress | null; mayStart: () => boolean | Promise<boolean> },
  ): Promise<Outcome[]>;
  /** Rejects when the outcomes cannot be written. */
  settle(job: DeliveryJob, outcomes: readonly Outcome[]): Promise<void>;
  /** The claim is still ours. */
  holds(job: DeliveryJob): boolean;
  /** Back into the database; rejects when that cannot be written. */
  postpone(job: DeliveryJob, until: Date | null, reason: WaitReason | null): Promise<void>;
  /** The job waits in memory no more. */
  left(job: DeliveryJob): void;
  /** There is room again for what waits in the database. */
  hungry(): void;
  /** Somebody else has the claim now. */
  lost(job: DeliveryJob): void;
  failed(error: unknown): void;
}

export interface DispatcherOptions {
  shaping: Shaping;
  /** Jobs under way: each may hold a socket. */
  open: FairPlaces;
  gate: RiskGate;
  /** Jobs that may wait in memory. */
  maxWaiting: number;
}

/** A longer wait is spent in the database. */
const SHORT_WAIT_MS = 2_000;
/** After that long in memory a job goes back when nothing of its queue ends, and after the longer time when something does. */
const PATIENCE_MS = 3_000;
const LONG_PATIENCE_MS = 10_000;
/** What had to go back is due again after this long. */
const REST_MS = 5_000;
/** Jobs of a queue that are offered to shaping at a time when it refuses some senders and not others. */
const LOOK_AHEAD = 16;

interface Pause {
  until: Date | null;
  reason: WaitReason | null;
}

type Served = 'began' | 'no place' | 'waits';

/**
 * Every job stands in the queue of its destination; the queues begin jobs in turn, each as soon as shaping admits one
 * and a place is free. Waits are short or happen in the database.
 */
export class Dispatcher {
  /** Jobs that are here, and those whose outcome could not be written: sending them again would only repeat that. */
  readonly held = new PassingSet<DeliveryJob>();
  private readonly queues: QueueBook;
  /** Queues that may be able to begin a job. */
  private readonly ready = new PassingSet<MailQueue>();
  private readonly destinations: Destinations;
  /** By recipient domain, while its destination is looked up. */
  private readonly unplaced = new Map<string, DeliveryJob[]>();
  private readonly tasks = new PassingSet<Promise<void>>();
  private stopping = false;
  private count = 0;

  constructor(
    private readonly desk: DispatchDesk,
    private readonly options: DispatcherOptions,
  ) {
    this.destinations = new Destinations((domain) => desk.destination(domain));
    this.queues = new QueueBook(options.shaping, options.open);
  }

  /** Jobs that wait in memory. */
  get waiting(): number {
    return this.count;
  }

  get room(): number {
    return Math.max(0, this.options.maxWaiting - this.count);
  }

  /** Takes a claimed job; it begins, or goes back, in its turn. */
  offer(job: DeliveryJob): void {
    this.held.add(job);
    this.count += 1;
    if (this.stopping) {
      this.putBack(job, null, null);
      return;
    }
    const destination = this.destinations.at(job.domain);
    if (destination) this.enqueue(job, destination);
    else this.track(this.place(job));
  }

  /** Whether memory is the place for one job more to this domain. */
  welcomes(domain: string): boolean {
    // What comes while nothing can be looked up waits in the database.
    if (this.stopping || this.desk.outage() !== null) return false;
    const destination = this.destinations.at(domain);
    if (!destination) return isWithinShare(this.unplaced.get(domain)?.length ?? 0, this.room);
    return this.queues.welcomes(destination, this.room);
  }

  /** How many recipients of which domain a claim may bring. */
  rooms(): ClaimRooms {
    const of = this.queues.rooms();
    for (const [domain, jobs] of this.unplaced) of[domain] = Math.max(0, SHARE - jobs.length);
    return { each: SHARE, of };
  }

  /** Queues that are closed, with the domains that lead there. */
  closed(): MailQueue[] {
    return this.queues.closed();
  }

  /** How many jobs wait in memory for what; `place`: for a free one, `destination`: for DNS. */
  waitingByReason(): Map<string, number> {
    const counts = new Map<string, number>();
    const add = (reason: string, jobs: number) => counts.set(reason, (counts.get(reason) ?? 0) + jobs);
    for (const jobs of this.unplaced.values()) add('destination', jobs.length);
    for (const queue of this.queues) add(queue.reason?.kind ?? 'place', queue.waiting.length);
    return counts;
  }

  /** Now and then: gives back what waits too long, forgets queues that are no longer used. */
  sweep(): void {
    const now = performance.now();
    for (const queue of this.queues) {
      const patience = now - queue.endedAt < PATIENCE_MS ? LONG_PATIENCE_MS : PATIENCE_MS;
      if (queue.oldestWaitMs() > patience) this.rest(queue, now - PATIENCE_MS);
    }
    this.queues.forgetIdle();
    this.pump();
  }

  /** Gives back what has not begun, and lets nothing more begin. */
  close(): void {
    this.stopping = true;
    this.options.gate.close();
    this.ready.clear();
    for (const [domain, jobs] of this.unplaced) {
      this.unplaced.delete(domain);
      for (const job of jobs) this.putBack(job, null, null);
    }
    for (const queue of this.queues) {
      clearTimeout(queue.timer);
      for (const { job } of queue.waiting.splice(0)) this.putBack(job, null, null);
    }
  }

  /** Resolves when what runs is written down. */
  async drained(): Promise<void> {
    while (this.tasks.size > 0) await Promise.allSettled(this.tasks);
  }

  /** Of a domain whose destination must be looked up first; one question per domain. */
  private async place(job: DeliveryJob): Promise<void> {
    const others = this.unplaced.get(job.domain);
    if (others) {
      others.push(job);
      return;
    }
    this.unplaced.set(job.domain, [job]);
    const destination = await this.destinations.find(job.domain);
    const jobs = this.unplaced.get(job.domain) ?? [];
    this.unplaced.delete(job.domain);
    for (const one of jobs) {
      if (destination) this.enqueue(one, destination);
      else {
        const { until, reason } = this.pause(`domain:${job.domain}`);
        this.putBack(one, until, reason);
      }
    }
  }

  private enqueue(job: DeliveryJob, destination: Destination): void {
    const queue = this.queues.of(destination);
    queue.add(job);
    const closure = this.queues.closureOf(queue);
    if (closure) {
      queue.waiting.pop();
      this.turnAway(queue, job, closure);
    } else if (queue.waiting.length === 1) {
      this.ready.add(queue);
      this.pump();
    }
  }

  /** Begins what can begin, the queues in turn. */
  private pump(): void {
    const passedOver: MailQueue[] = [];
    for (let queue = this.ready.eldest; queue && this.options.open.free > 0; queue = this.ready.eldest) {
      this.ready.delete(queue);
      const served = this.serve(queue);
      if (served === 'no place') passedOver.push(queue);
      if (served === 'began' && queue.waiting.length > 0) this.ready.add(queue);
    }
    for (const queue of passedOver) this.ready.add(queue);
  }

  private serve(queue: MailQueue): Served {
    if (!this.options.open.mayTake(queue.name)) return 'no place';
    let soonest = Infinity;
    for (let i = 0; i < queue.waiting.length && i < LOOK_AHEAD;) {
      const { job } = queue.waiting[i];
      const admission = this.options.shaping.admit(queue.destination, this.desk.sender(job));
      if (admission.kind === 'go') {
        queue.waiting.splice(i, 1);
        this.begin(queue, job, admission.pass);
        return 'began';
      }
      const isClosed = this.options.shaping.room(queue.destination) === 0;
      if (!isShort(admission)) {
        const closure = isClosed ? this.options.shaping.obstacle(queue.destination) : null;
        if (closure && !isShort(closure)) {
          this.shut(queue, closure);
          return 'waits';
        }
        queue.waiting.splice(i, 1);
        this.putBack(job, admission.until, admission.reason);
        continue;
      }
      queue.reason = admission.reason;
      soonest = Math.min(soonest, admission.until.getTime());
      if (isClosed) break;
      i += 1;
    }
    if (queue.waiting.length > 0) this.lookAgain(queue, soonest - Date.now());
    return 'waits';
  }

  private lookAgain(queue: MailQueue, ms: number): void {
    clearTimeout(queue.timer);
    queue.timer = setTimeout(() => this.wake(queue), Math.max(1, Math.min(ms, SHORT_WAIT_MS)));
  }

  private wake(queue: MailQueue): void {
    if (this.stopping) return;
    if (queue.waiting.length > 0) this.ready.add(queue);
    if (this.ready.size > 0) this.pump();
  }

  private begin(queue: MailQueue, job: DeliveryJob, pass: Pass): void {
    const place = this.options.open.take(queue.name);
    queue.running += 1;
    queue.reason = null;
    this.leave(job);
    const { isDraining, waiting } = queue;
    if (isDraining && waiting.length <= SHARE / 2) {
      queue.isDraining = false;
      this.desk.hungry();
    }
    this.track(this.carry({ queue, job, pass, place }));
  }

  private ended(queue: MailQueue): void {
    queue.running -= 1;
    queue.endedAt = performance.now();
    if (queue.isStalled) {
      queue.isStalled = !this.options.open.isPrompt(queue.name);
      this.desk.hungry();
    }
    this.wake(queue);
  }

  private async carry(of: { queue: MailQueue; job: DeliveryJob; pass: Pass; place: Place | null }): Promise<void> {
    const { queue, job, pass, place } = of;
    const risk = new Risk(this.options.gate, queue.name, () => this.desk.holds(job));
    let outcomes: Outcome[] = [];
    try {
      outcomes = await this.desk.send(job, { source: pass.source, mayStart: () => risk.enter() });
    } finally {
      pass.done(outcomes);
      if (place) this.options.open.give(place, busyHostOf(outcomes) === null);
      this.ended(queue);
    }
    try {
      await this.desk.settle(job, outcomes);
      this.giveBackAbandoned(job, outcomes, () =>
        risk.wasRefused ? inAMoment(noPlace(queue)) : this.pause(queue.name, busyHostOf(outcomes)),
      );
      this.held.delete(job);
    } finally {
      risk.leave();
    }
  }

  /** For what could not begin: until DNS is back where it is away, else for a moment. */
  private pause(queue: string, busyHost: string | null = null): Pause {
    const outage = this.desk.outage();
    if (outage !== null) return noDns(queue, outage);
    return inAMoment(busyHost === null ? null : noConnection(queue, busyHost));
  }

  /** Nothing was sent: no place before MAIL, no DNS, or we are stopping. A claim that was lost is no longer ours. */
  private giveBackAbandoned(job: DeliveryJob, outcomes: readonly Outcome[], pause: () => Pause): void {
    const keys = new Set(outcomes.flatMap(({ key, kind }) => (kind === 'abandoned' ? [key] : [])));
    if (keys.size === 0) return;
    if (!this.desk.holds(job)) {
      this.desk.lost(job);
      return;
    }
    const recipients = job.recipients.filter(({ ordinal }) => keys.has(String(ordinal)));
    const { until, reason } = this.stopping ? AS_IT_WAS : pause();
    this.track(this.desk.postpone({ ...job, recipients }, until, reason));
  }

  /** Nothing of this queue begins before `until`: what waits here goes back, and the claims step over its domains. */
  private shut(queue: MailQueue, closure: Obstacle): void {
    queue.closure = closure;
    for (const { job } of queue.waiting.splice(0)) this.turnAway(queue, job, closure);
  }

  /** Its own source addresses may have to wait longer than others. */
  private turnAway(queue: MailQueue, job: DeliveryJob, closure: Obstacle): void {
    const { until, reason } = this.options.shaping.obstacle(queue.destination, this.desk.sender(job)) ?? closure;
    this.putBack(job, until, reason);
  }

  /** What has waited since before `since` goes back for a while. */
  private rest(queue: MailQueue, since: number): void {
    queue.isStalled = true;
    const until = new Date(Date.now() + REST_MS);
    const reason = queue.reason ?? noPlace(queue);
    let count = 0;
    while (count < queue.waiting.length && queue.waiting[count].since <= since) count += 1;
    for (const { job } of queue.waiting.splice(0, count)) this.putBack(job, until, reason);
  }

  private putBack(job: DeliveryJob, until: Date | null, reason: WaitReason | null): void {
    this.leave(job);
    this.track(this.desk.postpone(job, until, reason).finally(() => this.held.delete(job)));
  }

  private leave(job: DeliveryJob): void {
    this.count -= 1;
    this.desk.left(job);
  }

  private track(task: Promise<void>): void {
    this.tasks.add(task);
    const done = () => void this.tasks.delete(task);
    task.then(done, (error: unknown) => {
      done();
      this.desk.failed(error);
    });
  }
}

const AS_IT_WAS: Pause = { until: null, reason: null };

const inAMoment = (reason: WaitReason | null): Pause => ({ until: new Date(Date.now() + REST_MS), reason });

const isShort = ({ reason, until }: Obstacle): boolean =>
  reason.kind === 'concurrency' || until.getTime() - Date.now() <= SHORT_WAIT_MS;

const busyHostOf = (outcomes: readonly Outcome[]): string | null =>
  outcomes.find((outcome) => outcome.kind === 'abandoned')?.busyHost ?? null;

/** Mail of several domains that one host serves shares its connections. */
function noConnection(queue: string, mx: string): WaitReason {
  const text = `As many connections as one mail server may have at once are in use at ${mx}.`;
  return { kind: 'concurrency', queue, source: null, text, words: null, mx };
}

/** Our own bound, in the words in which shaping tells its bounds. */
function noPlace(queue: MailQueue): WaitReason {
  return {
    kind: 'concurrency',
    queue: queue.name,
    source: null,
    text: 'As many mails as one destination may have under way are on their way there.',
    words: null,
    mx: null,
  };
}
