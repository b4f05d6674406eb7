import { describe, expect, it } from 'vitest';
import {
  begin,
  planOf,
  SENDER,
  throttlingFixture,
  YAHOO,
} from '../../../../../test/support/delivery/throttling-fixture.js';
import { deferred } from '../../../../../test/support/delivery/throttling-fixture.js';
import { withPenaltyPool } from './penalty-pool.js';

const HELO = 'smtp.example.org';
const PENALTY = { queue: 'penalty:yahoo', provider: 'yahoo' };
const plan = planOf({
  sources: { usual: [{ address: '192.0.2.1' }], bad: [{ address: '192.0.2.9', helo: 'smtp9.example.org' }] },
  rules: [{ domain: 'news.example.org', pool: 'usual' }],
});
const listed = (address: string, helo: string | null = null) => ({ sources: [{ address, helo }] });

describe('the penalty pool', () => {
  it('is a pool of SHAPING_FILE or a list, and no ordinary mail leaves from it', () => {
    const named = withPenaltyPool(plan, { pool: 'bad' }, HELO);
    expect(named.pools.map(({ name }) => name)).toEqual(['usual']);
    expect(named.penaltyPool?.sources).toEqual([{ address: '192.0.2.9', heloName: 'smtp9.example.org' }]);
    const { penaltyPool, pools } = withPenaltyPool(planOf({}), listed('192.0.2.9'), HELO);
    expect(penaltyPool?.sources).toEqual([{ address: '192.0.2.9', heloName: HELO }]);
    expect(pools).toEqual([]);
    const { shaping } = throttlingFixture({ plan: named });
    expect([1, 2, 3].map(() => begin(shaping, YAHOO).source?.address)).toEqual(Array(3).fill('192.0.2.1'));
    const sender = { ...SENDER, domain: 'news.example.org' };
    expect([1, 2].map(() => begin(shaping, PENALTY, sender).source?.address)).toEqual(Array(2).fill('192.0.2.9'));
  });

  it('has the limits of the provider, and penalties of its own', () => {
    const { shaping } = throttlingFixture({ plan: withPenaltyPool(planOf({}), listed('192.0.2.9'), HELO) });
    const before = shaping.availableSlots(YAHOO);
    expect(shaping.availableSlots(PENALTY)).toBe(before);
    begin(shaping, PENALTY).release([deferred('421 4.7.0 [TSS04] later', 'mail')]);
    expect(shaping.availableSlots(PENALTY)).toBe(0);
    expect(shaping.availableSlots(YAHOO)).toBe(before);
    expect(shaping.deferral(YAHOO)).toBeNull();
    expect(shaping.deferral(PENALTY)?.reason).toMatchObject({ queue: 'penalty:yahoo', source: '192.0.2.9' });
    expect(shaping.deferral(PENALTY)?.reason.text).toMatch(/^Delivery to yahoo from 192\.0\.2\.9 is paused/);
    // Of another program: the address of the system belongs to the ordinary queue.
    const state = { ...NO_STATE, queue: 'penalty:yahoo', source: '192.0.2.9', until: 0, at: 9e12, factor: 1 } as const;
    expect(shaping.merge({ states: [state], workers: 1 })).toEqual({ lifted: ['penalty:yahoo'] });
  });

  it.each([
    [
      plan,
      { pool: 'none' },
      'PENALTY_POOL is none: it must be a pool in "sources" of SHAPING_FILE, which names usual, bad',
    ],
    [planOf({}), { pool: 'bad' }, 'which names none'],
    [plan, { pool: 'usual' }, 'PENALTY_POOL is the pool usual, which a rule of SHAPING_FILE selects'],
    [
      plan,
      listed('192.0.2.1'),
      'PENALTY_POOL has the address 192.0.2.1, which is in the pool usual of SHAPING_FILE too',
    ],
  ])('is refused where it is no pool of its own', (of, given, sentence) => {
    expect(() => withPenaltyPool(of, given, HELO)).toThrow(sentence);
  });
});

const NO_STATE = { kind: 'suspended', words: null, mx: null, rule: '', blockList: null } as const;
