import { describe, expect, it } from 'vitest';
import type { AccountPenalty } from '../account.resource.js';
import { exceededLimit, isServed, isToBlame, nextPenalty } from './penalty-rules.js';
import { newPenalty } from './pool-change.js';
import { NO_OUTCOMES } from './sending-outcomes.js';

const limits = {
  PENALTY_MINIMUM_RECIPIENTS: 500,
  PENALTY_BOUNCE_PERCENT: 5,
  PENALTY_COMPLAINT_PERCENT: 0.2,
  PENALTY_BLOCK_PERCENT: 5,
  PENALTY_CLEAN_DAYS: 2,
};

describe('the limit that an account exceeds', () => {
  it.each([
    [{ recipients: 499, hardBounces: 499, complaints: 499, blocks: 499 }, null],
    [{ recipients: 500, hardBounces: 25, complaints: 1, blocks: 25 }, null],
    [{ recipients: 500, hardBounces: 26 }, 'bounces'],
    [{ recipients: 500, complaints: 2 }, 'complaints'],
    [{ recipients: 500, blocks: 26 }, 'blocks'],
    [{ recipients: 500, hardBounces: 26, complaints: 2, blocks: 26 }, 'bounces'],
    // Deferred ones have not ended.
    [{ recipients: 0, blocks: 500 }, 'blocks'],
    [{ recipients: 10, hardBounces: 5, blocks: 499 }, null],
  ])('with %j is %s', (counts, reason) => {
    expect(exceededLimit({ ...NO_OUTCOMES, ...counts }, limits)?.reason ?? null).toBe(reason);
  });
});

describe('block replies', () => {
  it.each([
    [{ recipients: 100, blocks: 40 }, { recipients: 10_000, blocks: 10 }, true],
    [{ recipients: 100, blocks: 40 }, { recipients: 0, blocks: 0 }, true],
    // The source address is listed, so everybody gets them.
    [{ recipients: 0, blocks: 500 }, { recipients: 100, blocks: 9_000 }, false],
    [{ recipients: 100, blocks: 40 }, { recipients: 1_000, blocks: 210 }, false],
  ])('of %j beside %j are its fault: %s', (own, others, expected) => {
    expect(isToBlame(own, others)).toBe(expected);
  });
});

describe('the way back', () => {
  const begun: AccountPenalty = {
    ...newPenalty({ reason: 'complaints', limitPercent: 0.2 }, NO_OUTCOMES),
    exceeded_on: '2026-03-01',
  };
  /** The penalty after days with and without an exceeded limit; a dot is a day without emails. */
  const after = (days: string) =>
    [...days].reduce<AccountPenalty>((penalty, sign, i) => {
      const day = `2026-03-${String(i + 1).padStart(2, '0')}`;
      return sign === '.' ? penalty : (nextPenalty(penalty, sign === 'x', day) ?? penalty);
    }, begun);
  const dayAfter = (days: string) => `2026-03-${String(days.length + 1).padStart(2, '0')}`;

  it.each([
    ['xcc', true],
    ['xc', false],
    ['c', false],
    // The day of the move is not clean, and a quiet day proves nothing.
    ['cc', false],
    ['xc...', false],
    ['xc..c', true],
    ['xcxc', false],
    ['xcxcc', true],
  ])('of %s is over: %s', (days, expected) => {
    expect(isServed(after(days), 2, dayAfter(days))).toBe(expected);
  });

  it('starts over on a day on which a limit is exceeded later, and does not count the present day', () => {
    const clean = after('xcc');
    expect(isServed(clean, 2, '2026-03-03')).toBe(false);
    const exceeded = nextPenalty(clean, true, '2026-03-03');
    expect(exceeded).toMatchObject({ exceeded_on: '2026-03-03', clean_days: [] });
    expect(exceeded && nextPenalty(exceeded, false, '2026-03-03')).toBeNull();
    expect(exceeded && nextPenalty(exceeded, true, '2026-03-03')).toBeNull();
    expect(nextPenalty(clean, false, '2026-03-03')).toBeNull();
  });
});
