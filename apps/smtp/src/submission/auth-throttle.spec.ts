import { describe, expect, it } from 'vitest';
import { AuthThrottle } from './auth-throttle.js';

const SECOND = 1_000;

describe('AuthThrottle', () => {
  it('blocks an address after its failures of one minute, and nobody else', () => {
    let now = 0;
    const throttle = new AuthThrottle(3, () => now);
    for (let i = 0; i < 3; i++) {
      expect(throttle.blocked('192.0.2.1')).toBe(false);
      throttle.failed('192.0.2.1');
      now += SECOND;
    }
    expect(throttle.blocked('192.0.2.1')).toBe(true);
    expect(throttle.blocked('192.0.2.2')).toBe(false);
    now = 60 * SECOND;
    expect(throttle.blocked('192.0.2.1')).toBe(false);
    throttle.failed('192.0.2.1');
    expect(throttle.blocked('192.0.2.1'), 'two of the three are younger than a minute').toBe(true);
  });

  it('takes a /64 for one address, however often it changes', () => {
    const throttle = new AuthThrottle(2, () => 0);
    throttle.failed('2001:db8::1');
    throttle.failed('2001:db8::2');
    expect(throttle.blocked('2001:db8::3')).toBe(true);
    expect(throttle.blocked('2001:db8:0:1::1')).toBe(false);
  });

  it('stays small when every address of the world fails once', () => {
    const throttle = new AuthThrottle(1, () => 0);
    for (let i = 0; i < 60_000; i++) throttle.failed(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`);
    expect(throttle.blocked('10.0.0.0')).toBe(false);
    expect(throttle.blocked('10.0.234.95')).toBe(true);
  });
});
