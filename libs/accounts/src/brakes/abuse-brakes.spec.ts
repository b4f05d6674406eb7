import { describe, expect, it } from 'vitest';
import { exceeded } from './abuse-brakes.js';

const limits = { ABUSE_MINIMUM_RECIPIENTS: 1_000, ABUSE_BOUNCE_PERCENT: 10, ABUSE_COMPLAINT_PERCENT: 0.3 };

describe('exceeded', () => {
  it.each([
    [{ recipients: 999, hardBounces: 999, complaints: 999 }, null],
    [{ recipients: 1_000, hardBounces: 100, complaints: 3 }, null],
    [{ recipients: 1_000, hardBounces: 101, complaints: 0 }, 'bounces'],
    [{ recipients: 1_000, hardBounces: 0, complaints: 4 }, 'complaints'],
    [{ recipients: 1_000, hardBounces: 101, complaints: 4 }, 'bounces'],
    [{ recipients: 1_000_000, hardBounces: 100_000, complaints: 3_001 }, 'complaints'],
  ])('of %j is %s', (totals, reason) => {
    expect(exceeded({ accountId: 'acc_1', blocks: 0, ...totals }, limits)?.reason ?? null).toBe(reason);
  });
});
