import { describe, expect, it } from 'vitest';
import {
  ABANDONED,
  begin,
  deferred,
  DELIVERED,
  DOMAIN,
  GOOGLE,
  planOf,
  SENDER,
  throttlingFixture,
  YAHOO,
} from '../../../../test/support/delivery/throttling-fixture.js';
import type { ProviderThrottling } from './provider-throttling.js';
import type { WarmUpDay } from './shared-state.js';
import { allowanceOf } from './warm-up.js';

const NEW = '192.0.2.1';
const WARM = '192.0.2.2';
const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 10, 21);

const plan = planOf({
  providers: {
    google: { connections: 1000, per_minute: 1_000_000 },
    yahoo: { connections: 1000, per_minute: 1_000_000 },
  },
  sources: { main: [{ address: NEW }, { address: WARM }], alone: [{ address: NEW }] },
  rules: [{ tag: 'pool=alone', pool: 'alone' }],
  warm_up: [
    {
      address: NEW,
      started: '2026-11-21',
      first_day: 10,
      factor: 2,
      until: 35,
      providers: { yahoo: { first_day: 4 } },
    },
  ],
});
const ALONE = { ...SENDER, tags: { pool: 'alone' } };

/** Admits `count` jobs; returns how many used the new address. */
function spread(shaping: ProviderThrottling, count: number, destination = GOOGLE): number {
  let byNew = 0;
  for (let i = 0; i < count; i += 1) {
    const permit = begin(shaping, destination);
    if (permit.source?.address === NEW) byNew += 1;
    permit.release([DELIVERED]);
  }
  return byNew;
}

describe('the plan of a new address', () => {
  it('grows by its factor each day until the address is warm', () => {
    const warmUp = plan.warmUps.get(NEW);
    if (!warmUp) throw new Error('no plan');
    const days = [-1, 0, 1, 2, 3].map((day) => allowanceOf(warmUp, warmUp.curve, START + day * DAY_MS));
    expect(days).toEqual([0, 10, 20, null, null]);
  });

  it('is used up first, and the rest goes through the warm addresses of the pool', () => {
    const { shaping, pass } = throttlingFixture({ plan, start: START + 1000 });
    expect(spread(shaping, 50)).toBe(10);
    expect(spread(shaping, 50, YAHOO)).toBe(4);
    pass(DAY_MS);
    expect(spread(shaping, 50)).toBe(20);
    pass(DAY_MS);
    expect(spread(shaping, 50)).toBe(25);
  });

  it('delays messages until tomorrow if the pool has no warm address, and gives the reason', () => {
    const { shaping } = throttlingFixture({ plan, start: START + 1000 });
    for (let i = 0; i < 10; i += 1) begin(shaping, GOOGLE, ALONE).release([DELIVERED]);
    expect(shaping.admit(GOOGLE, ALONE)).toEqual({
      kind: 'wait',
      until: new Date(START + DAY_MS),
      reason: {
        kind: 'warm_up',
        queue: 'google',
        source: NEW,
        text: 'Delivery to google from 192.0.2.1 waits: the address is new there and has sent its share of today, 10 recipients.',
        words: null,
        mx: null,
      },
    });
  });

  it('counts recipients, refunds what was not sent, and admits a job larger than a day at the start of a day', () => {
    const { shaping, pass } = throttlingFixture({ plan, start: START + 1000 });
    begin(shaping, GOOGLE, { ...ALONE, recipients: 8 }).release([ABANDONED]);
    begin(shaping, GOOGLE, { ...ALONE, recipients: 8 }).release([DELIVERED]);
    expect(shaping.admit(GOOGLE, { ...ALONE, recipients: 3 })).toMatchObject({ reason: { kind: 'warm_up' } });
    begin(shaping, GOOGLE, { ...ALONE, recipients: 2 }).release([DELIVERED]);
    pass(DAY_MS);
    begin(shaping, GOOGLE, { ...ALONE, recipients: 99 }).release([DELIVERED]);
    expect(shaping.admit(GOOGLE, ALONE)).toMatchObject({ reason: { kind: 'warm_up' } });
  });

  it('is shared by all small domains', () => {
    const { shaping } = throttlingFixture({ plan, start: START + 1000 });
    for (let i = 0; i < 10; i += 1)
      begin(shaping, { queue: `domain:${i}.example`, provider: null }, ALONE).release([DELIVERED]);
    expect(shaping.admit(DOMAIN, ALONE)).toMatchObject({ reason: { kind: 'warm_up' } });
  });

  it('pauses after too many deferrals, and the warm addresses take over', () => {
    const calm = planOf({
      providers: { google: { connections: 1000, per_minute: 1_000_000 } },
      sources: { main: [{ address: NEW }, { address: WARM }] },
      warm_up: [
        { address: NEW, started: '2026-11-21', first_day: 1000, until: 9999, pause_above: 0.2, pause_minutes: 60 },
      ],
    });
    const { shaping, events, pass } = throttlingFixture({ plan: calm, start: START + 1000 });
    for (let i = 0; i < 22; i += 1)
      begin(shaping, GOOGLE).release([i % 3 === 0 ? deferred('451 4.3.0 later') : DELIVERED]);
    expect(spread(shaping, 5)).toBe(0);
    expect(events).toMatchObject([
      { event: 'warm_up begins', queue: 'google', source: NEW, rule: 'warm-up-deferrals' },
    ]);
    pass(3_600_000);
    expect(spread(shaping, 5)).toBe(5);
  });
});

describe('a day that several processes share', () => {
  it.each([1, 3])(
    'is never exceeded by any process, and no call waits: %i recipients at a time',
    async (recipients) => {
      const used = new Map<string, number>();
      const shared = {
        publish: () => undefined,
        reserveWarmUp: ({ provider, day, allowance }: WarmUpDay, wanted: number) => {
          const key = `${provider} ${day}`;
          const taken = Math.min(wanted, allowance - (used.get(key) ?? 0));
          used.set(key, (used.get(key) ?? 0) + taken);
          return Promise.resolve(taken);
        },
      };
      const processes = [1, 2, 3].map(() => throttlingFixture({ plan, shared, start: START + 1000 }));
      let reached = 0;
      for (let i = 0; i < 60; i += 1) {
        for (const { shaping } of processes) {
          const permit = begin(shaping, GOOGLE, { ...SENDER, recipients });
          if (permit.source?.address === NEW) reached += recipients;
          permit.release([DELIVERED]);
        }
        await new Promise(setImmediate);
      }
      expect(reached).toBeLessThanOrEqual(10);
      // The rest is less than one more job of each process.
      expect(reached).toBeGreaterThan(10 - 3 * recipients);
    },
  );

  it('waits a second at a time while the shared state is unavailable', async () => {
    let asked = 0;
    const shared = {
      publish: () => undefined,
      reserveWarmUp: () => {
        asked += 1;
        return Promise.reject(new Error('away'));
      },
    };
    const { shaping, now, pass } = throttlingFixture({ plan, shared, start: START + 1000 });
    for (let i = 0; i < 5; i += 1) {
      expect(shaping.admit(GOOGLE, ALONE)).toMatchObject({ kind: 'wait', until: new Date(now() + 1000) });
      await new Promise(setImmediate);
    }
    expect(asked).toBe(1);
    pass(1000);
    shaping.admit(GOOGLE, ALONE);
    expect(asked).toBe(2);
  });
});
