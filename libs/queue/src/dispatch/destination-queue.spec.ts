import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DeliveryJob } from '#libs/emails';
import type { WaitReason } from '#libs/mta';
import { DestinationQueue, UNKNOWN_SHARE } from './destination-queue.js';

const REASON: WaitReason = { kind: 'suspended', queue: 'q', source: null, text: 'closed', words: null, mx: null };

describe('DestinationQueue', () => {
  let slots: number;
  let queue: DestinationQueue;

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'Date', 'setTimeout', 'clearTimeout'] });
    slots = 0;
    queue = new DestinationQueue({ queue: 'q', provider: null }, { availableSlots: () => slots });
  });
  afterEach(() => void vi.useRealTimers());

  const job = (domain = 'a.example', accountId = 'acc_1', recipients = 1) =>
    ({
      domain,
      email: { accountId },
      weight: 1,
      isBulk: false,
      recipients: Array.from({ length: recipients }),
    }) as unknown as DeliveryJob;
  const startAll = () => {
    const started = [];
    while (queue.length > 0) started.push(queue.start(0).job);
    return started;
  };
  const inMs = (ms: number) => new Date(Date.now() + ms);

  it('takes jobs while it is open, and knows the domains of all', () => {
    const first = job();
    expect(queue.add(first)).toBeNull();
    const closure = { until: inMs(60_000), reason: REASON };
    expect(queue.close(closure)).toEqual([first]);
    expect(queue.add(job('b.example'))).toBe(closure);
    expect(queue.length).toBe(0);
    expect([...queue.domains]).toEqual(['a.example', 'b.example']);
  });

  it('opens at the end of its closure, or earlier when the throttle has slots', () => {
    const closure = { until: inMs(60_000), reason: REASON };
    queue.close(closure);
    expect(queue.currentClosure()).toBe(closure);
    vi.advanceTimersByTime(60_000);
    expect(queue.currentClosure()).toBeNull();
    queue.close({ ...closure, until: inMs(60_000) });
    slots = 1;
    expect(queue.currentClosure()).toBeNull();
  });

  it('counts running jobs and forgets the reason of a wait with a start', () => {
    queue.add(job());
    queue.waitFor(REASON);
    expect(queue.reason).toBe(REASON);
    queue.start(0);
    expect([queue.running, queue.length, queue.reason, queue.isIdle]).toEqual([1, 0, null, false]);
    expect(queue.end(() => true)).toBe(false);
    expect(queue.isIdle).toBe(true);
  });

  it('lets accounts take turns by recipients, whoever came first', () => {
    const start = () => {
      const { job: started } = queue.start(0);
      return `${started.email.accountId}:${started.recipients.length}`;
    };
    for (let i = 0; i < 4; i++) queue.add(job('a.example', 'busy'));
    for (let i = 0; i < 2; i++) queue.add(job('a.example', 'large', 3));
    expect(start()).toBe('busy:1');
    queue.add(job('a.example', 'quiet'));
    expect(queue.waitingAccounts().toSorted()).toEqual(['busy', 'large', 'quiet']);
    const order = [];
    while (queue.length > 0) order.push(start());
    expect(order).toEqual(['large:3', 'quiet:1', 'busy:1', 'busy:1', 'busy:1', 'large:3']);
    expect(queue.waitingAccounts()).toEqual([]);
  });

  it('gives no account credit for the time in which it sent nothing', () => {
    for (let i = 0; i < 50; i++) queue.add(job('a.example', 'busy'));
    for (let i = 0; i < 40; i++) queue.start(0);
    for (let i = 0; i < 3; i++) queue.add(job('a.example', 'idle'));
    const order = Array.from({ length: 6 }, () => queue.start(0).job.email.accountId);
    expect(order).toEqual(['idle', 'busy', 'idle', 'busy', 'idle', 'busy']);
  });

  it('counts recipients of an account also while none of its jobs waits', () => {
    for (let i = 0; i < 20; i++) queue.add(job('a.example', 'single'));
    queue.add(job('a.example', 'large', 10));
    const order = [];
    for (let i = 0; i < 14; i++) {
      const { accountId } = queue.start(0).job.email;
      order.push(accountId);
      if (accountId === 'large') queue.add(job('a.example', 'large', 10));
    }
    expect(order.filter((account) => account === 'large')).toHaveLength(2);
  });

  it('gives accounts turns by their weights', () => {
    for (let i = 0; i < 30; i++) {
      queue.add({ ...job('a.example', 'heavy'), weight: 4 });
      queue.add(job('a.example', 'light'));
    }
    const first = startAll().slice(0, 25);
    expect(first.filter(({ email }) => email.accountId === 'heavy')).toHaveLength(20);
  });

  it('lets transactional jobs pass bulk jobs of the same account, without a change for others', () => {
    for (let i = 0; i < 3; i++) queue.add({ ...job('a.example', 'mixed'), isBulk: true });
    for (let i = 0; i < 5; i++) queue.add(job('a.example', 'other'));
    for (let i = 0; i < 2; i++) queue.add(job('a.example', 'mixed'));
    const order = startAll().map(({ email, isBulk }) => `${email.accountId}${isBulk ? ' bulk' : ''}`);
    const mixed = order.filter((name) => name !== 'other');
    expect(mixed).toEqual(['mixed', 'mixed', 'mixed bulk', 'mixed bulk', 'mixed bulk']);
    for (let i = 0; i < order.length; i += 2) expect(order.slice(i, i + 2)).toContain('other');
  });

  it('starts a bulk job after nine transactional ones at the latest', () => {
    for (let i = 0; i < 3; i++) queue.add({ ...job(), isBulk: true });
    for (let i = 0; i < 25; i++) queue.add(job());
    const places = startAll().flatMap(({ isBulk }, i) => (isBulk ? [i] : []));
    expect(places).toEqual([9, 19, 27]);
  });

  it('wants more jobs once when few of the claimed ones are left', () => {
    for (let i = 0; i < UNKNOWN_SHARE / 2 + 2; i++) queue.add(job());
    expect([1, 2, 3].map(() => queue.start(0).wantsMore)).toEqual([false, true, false]);
    queue.add({ ...job(), content: { format: 'parts', body: Buffer.alloc(0) } });
    expect(queue.start(0).wantsMore).toBe(false);
    queue.add(job());
    expect(queue.start(0).wantsMore).toBe(true);
  });

  it('stalls when nothing ends for 3 s, and recovers when a job of a fast queue ends', () => {
    const [old, young] = [job(), job()];
    queue.add(old);
    queue.add(job());
    queue.start(1);
    vi.advanceTimersByTime(1_000);
    queue.add(young);
    expect(queue.stallOverdue()).toEqual([]);
    vi.advanceTimersByTime(2_001);
    expect(queue.stallOverdue()).toEqual([old]);
    expect([queue.isStalled, queue.length]).toEqual([true, 1]);
    expect(queue.end(() => false)).toBe(true);
    expect(queue.isStalled).toBe(true);
    queue.start(0);
    expect(queue.end(() => true)).toBe(true);
    expect(queue.isStalled).toBe(false);
  });

  it('stalls after 10 s while its jobs end', () => {
    for (let i = 0; i < 10; i++) queue.add(job());
    for (let i = 0; i < 5; i++) {
      queue.start(0);
      vi.advanceTimersByTime(2_001);
      if (i < 4) expect(queue.stallOverdue()).toEqual([]);
      queue.end(() => true);
    }
    expect(queue.stallOverdue()).toHaveLength(5);
  });

  it('returns the waiting jobs when it stops, and is not looked at again', () => {
    const wake = vi.fn();
    queue.add(job());
    queue.wakeIn(100, () => expect.unreachable());
    queue.wakeIn(200, wake);
    vi.advanceTimersByTime(200);
    expect(wake).toHaveBeenCalledOnce();
    queue.wakeIn(100, () => expect.unreachable());
    expect(queue.stop()).toHaveLength(1);
    vi.advanceTimersByTime(60_000);
    expect(queue.isUnusedSince(performance.now())).toBe(true);
  });
});
