import { Injectable } from '@nestjs/common';
import { queueNames } from '#libs/contracts';
import { LocalDelivery, type DeliveryJob } from '#libs/emails';
import { Log, LocalNotifications, databaseClock, tracing } from '#libs/kernel';
import { domainOf } from '#libs/mime';
import { Throttling, type Destination, type Deferral, type Outcome, type ThrottlePermit, type Sender } from '#libs/mta';
import type { ClaimLimits } from '../claim/claim-due.js';
import { Queue } from '../queue.js';
import { CourierAdapter } from './courier-adapter.js';
import { DeliveryMetrics } from './delivery-metrics.js';
import {
  connectionsInUse,
  dnsOutageDelay,
  isShort,
  SHORT_WAIT_MS,
  shortly,
  UNCHANGED,
  unsettledLimitReached,
  type Delay,
} from './delay.js';
import { DestinationCache } from './destination-cache.js';
import { UNKNOWN_SHARE, type DestinationQueue } from './destination-queue.js';
import { DispatchLimits } from './dispatch-limits.js';
import { isWithinShare, type Permit } from './fair-semaphore.js';
import { QueueRegistry } from './queue-registry.js';
import { UnsettledJob } from './unsettled-limit.js';

/** Jobs of a queue offered to the throttle at a time when it refuses some senders and not others. */
const LOOK_AHEAD = 16;

/** A job that left its queue. */
interface Started {
  queue: DestinationQueue;
  job: DeliveryJob;
  pass: ThrottlePermit;
  permit: Permit | null;
}

type StartResult = 'started' | 'no permit' | 'waiting';

/**
 * Starts deliveries. Every job waits in the queue of its destination; the queues start jobs in turn, each as soon as the
 * throttle admits one and a permit is free. Waits in memory are short; longer ones happen in the database.
 */
@Injectable()
export class Dispatcher {
  /** Jobs in memory, and those whose outcome could not be written: sending these again would only repeat that. */
  readonly activeJobs = new Set<DeliveryJob>();
  private readonly queues: QueueRegistry;
  /** Queues that may be able to start a job. */
  private readonly ready = new Set<DestinationQueue>();
  private readonly destinations: DestinationCache;
  /** Jobs by recipient domain, while the destination of the domain is looked up. */
  private readonly unresolved = new Map<string, DeliveryJob[]>();
  private readonly tasks = new Set<Promise<void>>();
  /** Spans from the claim of a job to its start, while tracing is on. */
  private readonly waits = new WeakMap<DeliveryJob, ReturnType<typeof tracing.begin>>();
  private stopping = false;
  private waitingCount = 0;

  constructor(
    private readonly courier: CourierAdapter,
    private readonly queue: Queue,
    private readonly localDelivery: LocalDelivery,
    private readonly throttling: Throttling,
    private readonly limits: DispatchLimits,
    private readonly metrics: DeliveryMetrics,
    private readonly notifications: LocalNotifications,
    private readonly log: Log,
  ) {
    this.destinations = new DestinationCache((domain) => courier.destination(domain));
    this.queues = new QueueRegistry(throttling, limits.open, () => queue.penalised);
  }

  /** Jobs waiting in memory. */
  get waiting(): number {
    return this.waitingCount;
  }

  /** Jobs that may still be claimed. */
  get availableSlots(): number {
    return Math.max(0, this.limits.maxWaiting - this.waitingCount);
  }

  /** While no name server answers, nearly every job is requeued. */
  get hasDnsOutage(): boolean {
    return this.courier.outage() !== null;
  }

  /** Takes a claimed job; it is started or requeued. */
  offer(job: DeliveryJob): void {
    this.activeJobs.add(job);
    this.waitingCount += 1;
    if (tracing.isOn) this.waits.set(job, tracing.begin('claim', { parent: job.email.traceContext }));
    if (this.stopping) {
      this.requeue(job, UNCHANGED);
      return;
    }
    const destination = this.destinations.cached(job.domain);
    if (destination) this.enqueue(job, destination);
    else this.track(this.resolve(job));
  }

  /** Whether one more job may wait in memory. */
  accepts({ domain, email }: Pick<DeliveryJob, 'domain' | 'email'>): boolean {
    // While nothing can be looked up, new messages wait in the database.
    if (this.stopping || this.hasDnsOutage) return false;
    const destination = this.destinations.cached(domain);
    if (!destination) return isWithinShare(this.unresolved.get(domain)?.length ?? 0, this.availableSlots);
    return this.queues.accepts(this.withPool(destination, email.accountId), email.accountId, this.availableSlots);
  }

  /** How many recipients a claim may take, by domain. */
  claimLimits(): ClaimLimits {
    const { byDomain, without } = this.queues.claimLimits();
    for (const [domain, jobs] of this.unresolved) byDomain[domain] = Math.max(0, UNKNOWN_SHARE - jobs.length);
    return { perDomain: UNKNOWN_SHARE, byDomain, without };
  }

  /** Closed queues, with the domains that lead there. */
  closedQueues(): DestinationQueue[] {
    return this.queues.closed();
  }

  /** Jobs waiting in memory, by reason; `permit`: the bound of this process, `destination`: DNS. */
  waitingByReason(): Map<string, number> {
    const counts = new Map<string, number>();
    const add = (reason: string, jobs: number) => counts.set(reason, (counts.get(reason) ?? 0) + jobs);
    for (const jobs of this.unresolved.values()) add('destination', jobs.length);
    for (const queue of this.queues) add(queue.reason?.kind ?? 'permit', queue.length);
    return counts;
  }

  /** Called periodically: requeues jobs that have waited too long, and forgets queues that are no longer used. */
  sweep(): void {
    for (const queue of this.queues) {
      const overdue = queue.stallOverdue();
      if (overdue.length === 0) continue;
      const delay = shortly(queue.reason ?? unsettledLimitReached(queue));
      for (const job of overdue) this.requeue(job, delay);
    }
    this.queues.forgetIdle();
    this.startReady();
  }

  /** Requeues what has not started, and starts nothing more. */
  stop(): void {
    this.stopping = true;
    this.limits.unsettled.close();
    this.ready.clear();
    for (const [domain, jobs] of this.unresolved) {
      this.unresolved.delete(domain);
      for (const job of jobs) this.requeue(job, UNCHANGED);
    }
    for (const queue of this.queues) for (const job of queue.stop()) this.requeue(job, UNCHANGED);
  }

  /** Resolves when the outcome of every started job is written. */
  async drained(): Promise<void> {
    while (this.tasks.size > 0) await Promise.allSettled(this.tasks);
  }

  /** Looks up the destination of a domain once for all jobs that wait for it. */
  private async resolve(job: DeliveryJob): Promise<void> {
    const others = this.unresolved.get(job.domain);
    if (others) {
      others.push(job);
      return;
    }
    this.unresolved.set(job.domain, [job]);
    const destination = await this.destinations.find(job.domain);
    const jobs = this.unresolved.get(job.domain) ?? [];
    this.unresolved.delete(job.domain);
    for (const one of jobs) {
      if (destination) this.enqueue(one, destination);
      else this.requeue(one, this.delayOf(`domain:${job.domain}`));
    }
  }

  private enqueue(job: DeliveryJob, destination: Destination): void {
    const queue = this.queues.of(this.withPool(destination, job.email.accountId));
    const closure = queue.add(job);
    if (closure) this.requeueClosed(queue, job, closure);
    else if (queue.length === 1) {
      this.ready.add(queue);
      this.startReady();
    }
  }

  /** The destination with the queue of the penalty pool, for an account that is in it. */
  private withPool(destination: Destination, accountId: string): Destination {
    const { queue } = destination;
    const isPenalised = this.queue.penalised.has(accountId);
    if (isPenalised === queueNames.penaltyQueue.is(queue)) return destination;
    return {
      ...destination,
      queue: isPenalised ? queueNames.penaltyQueue.nameOf(queue) : queueNames.penaltyQueue.ordinary(queue),
    };
  }

  /** Moves the next job if its account was moved to another pool while it waited. */
  private moveToOwnPool(queue: DestinationQueue, index: number): boolean {
    const job = queue.peek(index);
    const own = this.withPool(queue.destination, job.email.accountId);
    if (own.queue === queue.name) return false;
    queue.remove(index);
    const target = this.queues.of(own);
    const closure = target.add(job);
    if (closure) this.requeueClosed(target, job, closure);
    else this.ready.add(target);
    return true;
  }

  /** Starts what can start, one job of each queue in turn. */
  private startReady(): void {
    const skipped: DestinationQueue[] = [];
    for (const queue of this.ready) {
      if (this.limits.open.free <= 0) break;
      this.ready.delete(queue);
      const result = this.startNext(queue);
      if (result === 'no permit') skipped.push(queue);
      if (result === 'started' && queue.length > 0) this.ready.add(queue);
    }
    for (const queue of skipped) this.ready.add(queue);
  }

  private startNext(queue: DestinationQueue): StartResult {
    if (!this.limits.open.canAcquire(queue.name)) return 'no permit';
    let soonest = Infinity;
    for (let i = 0; i < queue.length && i < LOOK_AHEAD;) {
      if (this.moveToOwnPool(queue, i)) continue;
      const admission = this.throttling.admit(queue.destination, senderOf(queue.peek(i)));
      if (admission.kind === 'go') {
        this.start(queue, i, admission.permit);
        return 'started';
      }
      const isClosed = queue.availableSlots() === 0;
      if (!isShort(admission)) {
        const closure = isClosed ? this.throttling.deferral(queue.destination) : null;
        if (closure && !isShort(closure)) {
          this.closeQueue(queue, closure);
          return 'waiting';
        }
        this.requeue(queue.remove(i), admission);
        continue;
      }
      queue.waitFor(admission.reason);
      soonest = Math.min(soonest, admission.until.getTime());
      if (isClosed) break;
      i += 1;
    }
    const ms = soonest - databaseClock.now();
    if (queue.length > 0) queue.wakeIn(Math.max(1, Math.min(ms, SHORT_WAIT_MS)), () => this.wake(queue));
    return 'waiting';
  }

  private wake(queue: DestinationQueue): void {
    if (this.stopping) return;
    if (queue.length > 0) this.ready.add(queue);
    if (this.ready.size > 0) this.startReady();
  }

  private start(queue: DestinationQueue, index: number, pass: ThrottlePermit): void {
    const permit = this.limits.open.acquire(queue.name);
    const { job, wantsMore } = queue.start(index);
    this.leaveMemory(job);
    if (wantsMore) this.notifications.notify('due-mail');
    this.track(this.deliver({ queue, job, pass, permit }));
  }

  private deliver(started: Started): Promise<void> {
    const { email, domain, recipients } = started.job;
    const attributes = {
      'postloft.email.id': email.id,
      'postloft.domain': domain,
      'postloft.attempt': 1 + Math.max(...recipients.map(({ attempts }) => attempts)),
    };
    return tracing.span('deliver', { kind: 'consumer', parent: email.traceContext, attributes }, () =>
      this.deliverJob(started),
    );
  }

  private async deliverJob({ queue, job, pass, permit }: Started): Promise<void> {
    const unsettled = new UnsettledJob(this.limits.unsettled, queue.name, () => this.queue.isClaimValid(job));
    let outcomes: Outcome[] = [];
    let isHeld = false;
    const mayBegin = async () => !(isHeld = await this.queue.isHeld(job));
    try {
      // Once before a connection is made, and once more when there is one, right before MAIL.
      outcomes = (await mayBegin())
        ? await this.courier.send(job, {
            source: pass.source,
            permit: async () => (await mayBegin()) && (await unsettled.permit()) && this.queue.begin(job),
          })
        : abandoned(job);
    } finally {
      pass.release(outcomes);
      if (permit) this.limits.open.release(permit, busyHostOf(outcomes) === null);
      this.ended(queue);
    }
    try {
      this.metrics.countAttempts(outcomes);
      await tracing.span('settle', {}, () => this.queue.settle(job, outcomes));
      this.requeueAbandoned(job, outcomes, () => {
        // The next claim holds it for longer, unless the account was resumed within the second that it is cached for.
        if (isHeld) return shortly(null);
        if (unsettled.wasRefused) return shortly(unsettledLimitReached(queue));
        return this.delayOf(queue.name, busyHostOf(outcomes));
      });
      this.activeJobs.delete(job);
    } finally {
      unsettled.release();
    }
  }

  private ended(queue: DestinationQueue): void {
    const wasStalled = queue.end(() => this.limits.open.isFast(queue.name));
    if (wasStalled) this.notifications.notify('due-mail');
    this.wake(queue);
  }

  /** The delay of a job that could not start: until DNS answers again, else a moment. */
  private delayOf(queue: string, busyHost: string | null = null): Delay {
    const outage = this.courier.outage();
    if (outage !== null) return dnsOutageDelay(queue, outage);
    return shortly(busyHost === null ? null : connectionsInUse(queue, busyHost));
  }

  /** Requeues the recipients to whom nothing was sent. A claim that was lost belongs to another worker. */
  private requeueAbandoned(job: DeliveryJob, outcomes: readonly Outcome[], delay: () => Delay): void {
    const keys = new Set(outcomes.flatMap(({ key, kind }) => (kind === 'abandoned' ? [key] : [])));
    if (keys.size === 0) return;
    if (!this.queue.isClaimValid(job)) {
      this.log.warn('delivery: a claim was lost before sending', { email: job.email.id });
      return;
    }
    const recipients = job.recipients.filter(({ ordinal }) => keys.has(String(ordinal)));
    this.track(this.writeRequeue({ ...job, recipients }, this.stopping ? UNCHANGED : delay()));
  }

  /** Nothing of this queue starts before `closure.until`; claims skip its domains. */
  private closeQueue(queue: DestinationQueue, closure: Deferral): void {
    for (const job of queue.close(closure)) this.requeueClosed(queue, job, closure);
  }

  /** The source addresses of this sender may have to wait for longer than others. */
  private requeueClosed(queue: DestinationQueue, job: DeliveryJob, closure: Deferral): void {
    this.requeue(job, this.throttling.deferral(queue.destination, senderOf(job)) ?? closure);
  }

  private requeue(job: DeliveryJob, delay: Delay): void {
    this.leaveMemory(job);
    this.track(this.writeRequeue(job, delay).finally(() => this.activeJobs.delete(job)));
  }

  private writeRequeue(job: DeliveryJob, { until, reason }: Delay): Promise<void> {
    this.metrics.countRequeue(reason?.kind ?? 'none');
    return this.queue.requeue(job, until, reason);
  }

  private leaveMemory(job: DeliveryJob): void {
    if (tracing.isOn) this.waits.get(job)?.end();
    this.waitingCount -= 1;
    this.localDelivery.leave(job);
  }

  private track(task: Promise<void>): void {
    this.tasks.add(task);
    const done = () => void this.tasks.delete(task);
    task.then(done, (error: unknown) => {
      done();
      this.log.error('delivery: a job failed unexpectedly', error);
    });
  }
}

/** Nothing was sent. */
function abandoned({ recipients }: DeliveryJob): Outcome[] {
  const now = databaseClock.date();
  return recipients.map(({ ordinal }) => ({ key: String(ordinal), kind: 'abandoned', startedAt: now, endedAt: now }));
}

const busyHostOf = (outcomes: readonly Outcome[]): string | null =>
  outcomes.find((outcome) => outcome.kind === 'abandoned')?.busyHost ?? null;

function senderOf({ email, recipients }: DeliveryJob): Sender {
  const address = email.sender.slice(email.sender.lastIndexOf('<') + 1).replace(/>$/, '');
  return { domain: domainOf(address), tags: email.tags, recipients: recipients.length };
}
