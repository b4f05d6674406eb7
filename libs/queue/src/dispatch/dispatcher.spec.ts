import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LocalDelivery, type DeliveryJob } from '#libs/emails';
import { LocalNotifications, type Log, type Metrics } from '#libs/kernel';
import { createThrottling, Throttling } from '#libs/mta';
import type { Destination, Deferral, Outcome, WaitReason } from '#libs/mta';
import { ABANDONED, deferred, DELIVERED, planOf } from '../../../../test/support/delivery/throttling-fixture.js';
import type { Queue } from '../queue.js';
import type { CourierAdapter, AttemptOptions } from './courier-adapter.js';
import { DeliveryMetrics } from './delivery-metrics.js';
import type { DispatchLimits } from './dispatch-limits.js';
import { Dispatcher } from './dispatcher.js';
import { FairSemaphore } from './fair-semaphore.js';
import { UnsettledLimit } from './unsettled-limit.js';

const CAP = 4;
const UNSETTLED = 8;

/** Closed for one queue until a time; otherwise as many as a cap allows. */
class OneClosed extends Throttling {
  private readonly others = createThrottling({ connectionsPerHost: CAP });
  private readonly reason: WaitReason;

  constructor(
    private readonly queue: string,
    private readonly until: Date,
  ) {
    super();
    this.reason = { kind: 'suspended', queue, source: null, text: 'closed', words: '421 no', mx: 'mx' };
  }

  override availableSlots(destination: Destination): number {
    return this.isClosed(destination) ? 0 : this.others.availableSlots(destination);
  }

  override admit(
    destination: Destination,
    sender: Parameters<Throttling['admit']>[1],
  ): ReturnType<Throttling['admit']> {
    if (!this.isClosed(destination)) return this.others.admit(destination, sender);
    return { kind: 'wait', until: this.until, reason: this.reason };
  }

  override deferral(destination: Destination, sender?: Parameters<Throttling['admit']>[1]): Deferral | null {
    return this.isClosed(destination)
      ? { until: this.until, reason: this.reason }
      : this.others.deferral(destination, sender);
  }

  private isClosed({ queue }: Destination): boolean {
    return queue === this.queue && this.until.getTime() > Date.now();
  }
}

/** The collaborators of a dispatcher: servers that answer when told to, a queue that records what is requeued. */
class World {
  readonly sending = new Map<DeliveryJob, { answer: (said: Outcome) => void; reachedMail: () => Promise<boolean> }>();
  readonly settled: DeliveryJob[] = [];
  readonly requeued: { job: DeliveryJob; until: Date | null; reason: string | null }[] = [];
  claimRequests = 0;
  outage: string | null = null;
  /** A domain whose destination is known although no name server answers. */
  knownDomain = '';
  /** Of accounts that are paused. */
  readonly heldEmails = new Set<string>();
  /** Accounts in the penalty pool. */
  readonly penalised = new Set<string>();
  readonly dispatcher: Dispatcher;

  constructor(throttling: Throttling = createThrottling({ connectionsPerHost: CAP })) {
    const courier = {
      destination: (domain: string) =>
        Promise.resolve(
          this.outage === null || domain === this.knownDomain ? { queue: `domain:${domain}`, provider: null } : null,
        ),
      outage: () => this.outage,
      send: (job: DeliveryJob, { permit }: AttemptOptions) =>
        new Promise<Outcome[]>((resolve) => {
          const answer = (said: Outcome) => resolve([said]);
          this.sending.set(job, { answer, reachedMail: () => Promise.resolve(permit()) });
        }),
    };
    const queue = {
      settle: (job: DeliveryJob) => Promise.resolve(void this.settled.push(job)),
      isClaimValid: () => true,
      begin: () => Promise.resolve(true),
      penalised: this.penalised,
      isHeld: ({ email }: DeliveryJob) => Promise.resolve(this.heldEmails.has(email.id)),
      requeue: (job: DeliveryJob, until: Date | null, reason: WaitReason | null = null) =>
        Promise.resolve(void this.requeued.push({ job, until, reason: reason?.kind ?? null })),
    };
    const notifications = new LocalNotifications();
    notifications.on('due-mail', () => (this.claimRequests += 1));
    this.dispatcher = new Dispatcher(
      courier as unknown as CourierAdapter,
      queue as unknown as Queue,
      new LocalDelivery(),
      throttling,
      {
        open: new FairSemaphore(4 * UNSETTLED, 2_000),
        unsettled: new UnsettledLimit(new FairSemaphore(UNSETTLED, 1_000)),
        maxWaiting: 200,
      } satisfies DispatchLimits,
      new DeliveryMetrics({ registry: new Registry() } as Metrics),
      notifications,
      // A job that fails unexpectedly fails the test: an unhandled rejection ends the run.
      { error: (_text: string, error: unknown) => void Promise.reject(error) } as unknown as Log,
    );
  }

  offer(domain: string, count: number, accountId = 'acc_1'): void {
    for (let i = 0; i < count; i++) this.dispatcher.offer(jobTo(domain, {}, accountId));
  }

  to(domain: string): DeliveryJob[] {
    return [...this.sending.keys()].filter((job) => job.domain === domain);
  }

  answerWith(domain: string, said: Outcome): void {
    for (const job of this.to(domain)) {
      this.sending.get(job)?.answer(said);
      this.sending.delete(job);
    }
  }

  /** The server of everything under way answers; what begins then is under way next. */
  async answerAll(domain: string): Promise<number> {
    const { length } = this.to(domain);
    this.answerWith(domain, DELIVERED);
    await vi.advanceTimersByTimeAsync(1);
    return length;
  }
}

let made = 0;
const jobTo = (domain: string, tags: Record<string, string> = {}, accountId = 'acc_1'): DeliveryJob => ({
  email: { id: `em_${made++}`, accountId, tags, sender: 'a@sender.example' } as DeliveryJob['email'],
  domain,
  weight: 1,
  isBulk: false,
  recipients: [
    { ordinal: 0, address: `x@${domain}`, attempts: 0, fence: 1, expiresAt: new Date(), previousEnhanced: null },
  ],
  epoch: 1,
  reservedBytes: 0,
});

describe('the dispatcher', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'Date', 'setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  it('keeps a silent destination to its cap, delivers to the others meanwhile, and gives the rest back with the reason', async () => {
    const world = new World();
    world.offer('silent.test', 40);
    world.offer('healthy.test', 40);
    await vi.advanceTimersByTimeAsync(1);
    let delivered = 0;
    for (let round = 0; round < 20; round++) delivered += await world.answerAll('healthy.test');
    expect(delivered).toBe(40);
    expect(world.to('silent.test')).toHaveLength(CAP);
    await vi.advanceTimersByTimeAsync(3_100);
    world.dispatcher.sweep();
    await vi.advanceTimersByTimeAsync(1);
    expect(world.requeued).toHaveLength(40 - CAP);
    expect(
      world.requeued.every(({ until, reason }) => until && until.getTime() > Date.now() && reason === 'concurrency'),
    ).toBe(true);
    expect(world.dispatcher.waiting).toBe(0);
    expect(world.dispatcher.activeJobs.size).toBe(CAP);
    // Neither memory nor the claim takes more for it, and both do for others.
    expect(world.dispatcher.accepts(jobTo('silent.test'))).toBe(false);
    expect(world.dispatcher.accepts(jobTo('healthy.test'))).toBe(true);
    const { byDomain: of, perDomain: each } = world.dispatcher.claimLimits();
    expect(of['silent.test']).toBe(0);
    expect(of['healthy.test'] ?? each).toBeGreaterThan(CAP);
  });

  it('gives back what waits in memory for an account that is paused meanwhile, and what has a connection before MAIL', async () => {
    const world = new World();
    world.offer('busy.test', 10);
    await vi.advanceTimersByTimeAsync(1);
    const connected = world.to('busy.test');
    expect(connected).toHaveLength(CAP);
    for (const job of world.dispatcher.activeJobs) world.heldEmails.add(job.email.id);
    for (const job of connected) {
      expect(await world.sending.get(job)?.reachedMail()).toBe(false);
      world.sending.get(job)?.answer(ABANDONED);
      world.sending.delete(job);
    }
    await vi.advanceTimersByTimeAsync(10);
    expect(world.sending.size).toBe(0);
    expect(world.dispatcher.activeJobs.size).toBe(0);
    expect(world.requeued).toHaveLength(10);
    for (const { until } of world.requeued) expect((until?.getTime() ?? 0) - Date.now()).toBeGreaterThan(4_000);
  });

  it('takes mail for a destination again as soon as one of its servers answers', async () => {
    const world = new World();
    world.offer('silent.test', 10);
    await vi.advanceTimersByTimeAsync(3_100);
    world.dispatcher.sweep();
    await vi.advanceTimersByTimeAsync(1);
    const before = world.claimRequests;
    await world.answerAll('silent.test');
    expect(world.claimRequests).toBeGreaterThan(before);
    expect(world.dispatcher.claimLimits().byDomain['silent.test']).toBeGreaterThan(0);
  });

  it('sends what waits for a closed queue back until it opens, and claims nothing for it', async () => {
    const until = new Date(Date.now() + 600_000);
    const world = new World(new OneClosed('domain:closed.test', until));
    world.offer('closed.test', 30);
    world.offer('open.test', 2);
    await vi.advanceTimersByTimeAsync(1);
    expect(world.requeued.map((one) => [one.until, one.reason])).toEqual(
      Array.from({ length: 30 }, () => [until, 'suspended']),
    );
    expect(world.to('open.test')).toHaveLength(2);
    expect(world.dispatcher.claimLimits().byDomain['closed.test']).toBe(0);
    expect(world.dispatcher.closedQueues().map(({ name }) => name)).toEqual(['domain:closed.test']);
    await vi.advanceTimersByTimeAsync(600_001);
    expect(world.dispatcher.closedQueues()).toEqual([]);
    const { byDomain: of, perDomain: each } = world.dispatcher.claimLimits();
    expect(of['closed.test'] ?? each).toBeGreaterThan(0);
  });

  it('keeps mail of an address that is free soon, however long another address of the queue is closed', async () => {
    const plan = planOf({
      default: { connections: 2 },
      sources: { main: [{ address: '127.0.0.2' }], bulk: [{ address: '127.0.0.3' }] },
      rules: [{ tag: 'stream=bulk', pool: 'bulk' }],
      automations: [{ id: 'closed', words: 'closed on sundays', action: 'suspend', minutes: 30 }],
    });
    const throttling = createThrottling({ connectionsPerHost: CAP, plan });
    const world = new World(throttling);
    const bulk = { stream: 'bulk' };
    world.dispatcher.offer(jobTo('to.test', bulk));
    await vi.advanceTimersByTimeAsync(1);
    world.answerWith('to.test', deferred('421 4.7.0 closed on sundays'));
    await vi.advanceTimersByTimeAsync(1);
    for (const tags of [{}, {}, bulk, {}, {}]) world.dispatcher.offer(jobTo('to.test', tags));
    await vi.advanceTimersByTimeAsync(1);
    expect(world.requeued.map(({ job, reason }) => [job.email.tags, reason])).toEqual([[bulk, 'suspended']]);
    expect(await world.answerAll('to.test')).toBe(2);
    expect(world.to('to.test')).toHaveLength(2);
  });

  it('lets no more mails be between MAIL and settle than the bound, and the others wait for a moment only', async () => {
    const world = new World();
    for (let i = 0; i < 10; i++) world.offer(`d${i}.test`, CAP);
    await vi.advanceTimersByTimeAsync(1);
    const asked = [...world.sending.values()].map(({ reachedMail }) => reachedMail());
    await vi.advanceTimersByTimeAsync(3_100);
    const answers = await Promise.all(asked);
    expect(world.sending.size).toBeGreaterThan(UNSETTLED);
    expect(answers.filter(Boolean).length).toBeLessThanOrEqual(UNSETTLED);
    expect(answers.filter(Boolean).length).toBeGreaterThan(UNSETTLED / 2);
  });

  it('gives back what was abandoned before MAIL', async () => {
    const world = new World();
    world.offer('busy.test', 1);
    await vi.advanceTimersByTimeAsync(1);
    for (const { answer } of world.sending.values()) answer(ABANDONED);
    await vi.advanceTimersByTimeAsync(1);
    expect(world.requeued).toHaveLength(1);
    expect(world.dispatcher.activeJobs.size).toBe(0);
  });

  it('sends what needs DNS back for some seconds while no name server answers, with the reason, and takes it again after', async () => {
    const world = new World();
    world.outage = 'No name server answers: 127.0.0.1:53.';
    world.knownDomain = 'known.test';
    world.offer('unknown.test', 40);
    world.offer('known.test', 1);
    await vi.advanceTimersByTimeAsync(1);
    expect(world.to('unknown.test')).toEqual([]);
    // Its hosts were not, so the courier gives it up too.
    for (const { answer } of world.sending.values()) answer(ABANDONED);
    await vi.advanceTimersByTimeAsync(1);
    expect(world.requeued.map(({ reason }) => reason)).toEqual(Array(41).fill('dns'));
    const waits = world.requeued.map(({ until }) => (until?.getTime() ?? 0) - Date.now());
    expect(Math.min(...waits)).toBeGreaterThan(4_900);
    expect(Math.max(...waits)).toBeLessThanOrEqual(15_000);
    expect(Math.max(...waits) - Math.min(...waits)).toBeGreaterThan(2_000);
    expect(world.settled.length + world.dispatcher.waiting + world.dispatcher.activeJobs.size).toBe(1);
    expect(world.dispatcher.accepts(jobTo('other.test'))).toBe(false);

    world.outage = null;
    expect(world.dispatcher.accepts(jobTo('unknown.test'))).toBe(true);
    world.offer('unknown.test', 2);
    await vi.advanceTimersByTimeAsync(1);
    expect(world.to('unknown.test')).toHaveLength(2);
  });

  it('begins nothing more once it closes, gives the rest back as it was, and ends with what runs', async () => {
    const world = new World();
    world.offer('slow.test', 10);
    await vi.advanceTimersByTimeAsync(1);
    world.dispatcher.stop();
    let ended = false;
    const drained = world.dispatcher.drained().then(() => (ended = true));
    await vi.advanceTimersByTimeAsync(1);
    expect(world.requeued.map(({ until }) => until)).toEqual(Array(10 - CAP).fill(null));
    expect(ended).toBe(false);
    expect(await world.answerAll('slow.test')).toBe(CAP);
    await drained;
    expect(world.settled).toHaveLength(CAP);
    expect(world.dispatcher.activeJobs.size).toBe(0);
    expect(world.dispatcher.accepts(jobTo('slow.test'))).toBe(false);
  });

  describe('with an account in the penalty pool', () => {
    const plan = planOf({
      automations: [{ id: 'listed', code: 421, words: 'listed', action: 'suspend', minutes: 60 }],
    });
    const penaltyPool = { name: 'penalty', sources: [{ address: '192.0.2.9', heloName: 'smtp9.example.org' }] };
    const open = () => {
      const world = new World(createThrottling({ connectionsPerHost: CAP, plan: { ...plan, penaltyPool } }));
      world.penalised.add('acc_spam');
      return world;
    };
    const accountsIn = (world: World) => [...world.sending.keys()].map(({ email }) => email.accountId);

    it('keeps what is suspended because of it from nobody else, and claims none of its mail meanwhile', async () => {
      const world = open();
      world.offer('to.test', 30, 'acc_spam');
      world.offer('to.test', 2);
      await vi.advanceTimersByTimeAsync(1);
      expect(accountsIn(world).sort()).toEqual(['acc_1', 'acc_1', ...Array<string>(CAP).fill('acc_spam')]);
      const spam = [...world.sending].filter(([{ email }]) => email.accountId === 'acc_spam');
      for (const [job, { answer }] of spam) {
        world.sending.delete(job);
        answer(deferred('421 4.7.0 listed', 'mail'));
      }
      await vi.advanceTimersByTimeAsync(1);
      world.dispatcher.sweep();
      await vi.advanceTimersByTimeAsync(1);
      expect(world.requeued).toHaveLength(30 - CAP);
      expect(
        world.requeued.every(({ job, reason }) => job.email.accountId === 'acc_spam' && reason === 'suspended'),
      ).toBe(true);
      expect(world.dispatcher.closedQueues().map(({ name }) => name)).toEqual(['penalty:domain:to.test']);
      const { byDomain, perDomain, without } = world.dispatcher.claimLimits();
      expect(byDomain['to.test'] ?? perDomain).toBeGreaterThan(0);
      expect(without?.['to.test']).toEqual(['acc_spam']);
      expect(world.dispatcher.accepts(jobTo('to.test', {}, 'acc_spam'))).toBe(false);
      expect(await world.answerAll('to.test')).toBe(2);
      world.offer('to.test', CAP);
      await vi.advanceTimersByTimeAsync(1);
      expect(accountsIn(world)).toEqual(Array(CAP).fill('acc_1'));
    });

    it('delivers its mail although the ordinary queue is suspended, and claims it', async () => {
      const world = open();
      world.offer('to.test', 1);
      await vi.advanceTimersByTimeAsync(1);
      world.answerWith('to.test', deferred('421 4.7.0 listed', 'mail'));
      await vi.advanceTimersByTimeAsync(1);
      world.offer('to.test', 2);
      world.offer('to.test', 2, 'acc_spam');
      await vi.advanceTimersByTimeAsync(1);
      expect(accountsIn(world)).toEqual(['acc_spam', 'acc_spam']);
      expect(world.dispatcher.claimLimits().byDomain['to.test']).toBeGreaterThan(0);
    });

    it('moves what waits in memory when its account is moved, both ways', async () => {
      const world = open();
      world.offer('to.test', 8, 'acc_other');
      await vi.advanceTimersByTimeAsync(1);
      world.penalised.add('acc_other');
      await world.answerAll('to.test');
      await vi.advanceTimersByTimeAsync(1);
      expect(accountsIn(world)).toEqual(Array(CAP).fill('acc_other'));
      world.answerWith('to.test', deferred('421 4.7.0 listed', 'mail'));
      await vi.advanceTimersByTimeAsync(1);
      expect(world.dispatcher.closedQueues()).toHaveLength(0);
      world.offer('to.test', 1);
      await vi.advanceTimersByTimeAsync(1);
      expect(accountsIn(world)).toEqual(['acc_1']);
      world.penalised.delete('acc_other');
      world.offer('to.test', 1, 'acc_other');
      await vi.advanceTimersByTimeAsync(1);
      expect(accountsIn(world)).toEqual(['acc_1', 'acc_other']);
    });
  });
});
