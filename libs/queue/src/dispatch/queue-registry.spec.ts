import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DeliveryJob } from '#libs/emails';
import type { Throttling } from '#libs/mta';
import { FairSemaphore, type Permit } from './fair-semaphore.js';
import { QueueRegistry } from './queue-registry.js';

const DOMAIN = 'a.example';
const DESTINATION = { queue: `domain:${DOMAIN}`, provider: null };
/** Jobs that the destination takes in the time between two claims. */
const PER_ROUND = 20;
const IN_MEMORY = 2_000;

/** One destination; its jobs end as soon as they start. */
describe('QueueRegistry', () => {
  let registry: QueueRegistry;
  let open: FairSemaphore;
  let started: Record<string, number>;

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const throttling = { availableSlots: () => 5 } as unknown as Throttling;
    open = new FairSemaphore(200, 3_000);
    registry = new QueueRegistry(throttling, open, () => new Set());
    started = {};
  });

  afterEach(() => void vi.useRealTimers());

  const queue = () => registry.of(DESTINATION);
  const offer = (accountId: string, from: 'memory' | 'database') =>
    queue().add({
      domain: DOMAIN,
      email: { accountId },
      recipients: [{}],
      weight: 1,
      isBulk: false,
      ...(from === 'memory' ? { content: {} } : {}),
    } as unknown as DeliveryJob);
  const accepts = (accountId: string) => registry.accepts(DESTINATION, accountId, IN_MEMORY - queue().length);

  function start(count: number): void {
    for (let i = 0; i < count && queue().length > 0; i += 1) {
      const { accountId } = queue().start(0).job.email;
      started[accountId] = (started[accountId] ?? 0) + 1;
      open.release(open.acquire(DESTINATION.queue) as Permit, true);
      queue().end(() => true);
    }
  }

  /** All of these have mail in the database, and share a claim equally. */
  function claim(accounts: readonly string[]): void {
    const { byDomain, without } = registry.claimLimits();
    const others = accounts.filter((account) => !without[DOMAIN]?.includes(account));
    const limit = byDomain[DOMAIN] ?? PER_ROUND;
    if (limit === 0) return;
    for (const account of others.slice(0, limit))
      for (let i = 0; i < Math.max(1, Math.floor(limit / others.length)); i += 1) offer(account, 'database');
  }

  it('gives accounts with a backlog their share beside one that hands over new mail in memory', () => {
    for (let round = 0; round < 100; round += 1) {
      for (let i = 0; i < 2 * PER_ROUND && accepts('local'); i += 1) offer('local', 'memory');
      claim(['local', 'backlog']);
      start(PER_ROUND);
      vi.advanceTimersByTime(100);
    }
    expect(started['backlog']).toBeGreaterThan(0.9 * started['local']);
    expect(started['local']).toBeGreaterThan(0.9 * started['backlog']);
  });

  it('takes new mail of one account alone without limit while its server is fast', () => {
    offer('local', 'database');
    start(1);
    for (let i = 0; i < 500; i += 1) {
      expect(accepts('local')).toBe(true);
      offer('local', 'memory');
    }
  });

  it('takes the first mail of an account at once, whatever the others have', () => {
    for (let i = 0; i < 200; i += 1) offer(`busy ${i % 2}`, 'database');
    expect(accepts('busy 0')).toBe(false);
    expect(accepts('quiet')).toBe(true);
    offer('quiet', 'memory');
    start(3);
    expect(started['quiet']).toBe(1);
  });
});
