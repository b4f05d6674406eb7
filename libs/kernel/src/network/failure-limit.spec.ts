import { describe, expect, it } from 'vitest';
import { FailureLimit } from './failure-limit.js';

const SECOND = 1_000;

describe('FailureLimit', () => {
  it('blocks an address after too many failures in a minute, and no other', () => {
    let now = 0;
    const limit = new FailureLimit(3, () => now);
    for (let i = 0; i < 3; i++) {
      expect(limit.isBlocked('192.0.2.1')).toBe(false);
      limit.recordFailure('192.0.2.1');
      now += SECOND;
    }
    expect(limit.isBlocked('192.0.2.1')).toBe(true);
    expect(limit.isBlocked('192.0.2.2')).toBe(false);
    now = 60 * SECOND;
    expect(limit.isBlocked('192.0.2.1')).toBe(false);
    limit.recordFailure('192.0.2.1');
    expect(limit.isBlocked('192.0.2.1'), 'two of the three are younger than a minute').toBe(true);
  });

  it('says when the next attempt is possible', () => {
    let now = 0;
    const limit = new FailureLimit(2, () => now);
    limit.recordFailure('192.0.2.1');
    expect(limit.blockedSeconds('192.0.2.1')).toBe(0);
    now = 10 * SECOND;
    limit.recordFailure('192.0.2.1');
    now = 20 * SECOND;
    expect(limit.blockedSeconds('192.0.2.1'), 'until the first failure is a minute old').toBe(40);
    now = 60 * SECOND;
    expect(limit.blockedSeconds('192.0.2.1')).toBe(0);
  });

  it('counts a repeated failure once', () => {
    const limit = new FailureLimit(2, () => 0);
    for (let i = 0; i < 100; i++) limit.recordFailure('192.0.2.1', 'one');
    expect(limit.isBlocked('192.0.2.1')).toBe(false);
    limit.recordFailure('192.0.2.1', 'two');
    expect(limit.isBlocked('192.0.2.1')).toBe(true);
  });

  it('counts a /64 as one network', () => {
    const limit = new FailureLimit(2, () => 0);
    limit.recordFailure('2001:db8::1');
    limit.recordFailure('2001:db8::2');
    expect(limit.isBlocked('2001:db8::3')).toBe(true);
    expect(limit.isBlocked('2001:db8:0:1::1')).toBe(false);
  });

  it('forgets the oldest failures when there are too many networks', () => {
    const limit = new FailureLimit(1, () => 0);
    for (let i = 0; i < 60_000; i++) limit.recordFailure(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`);
    expect(limit.isBlocked('10.0.0.0')).toBe(false);
    expect(limit.isBlocked('10.0.234.95')).toBe(true);
  });
});
