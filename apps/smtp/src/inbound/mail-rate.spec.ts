import { describe, expect, it } from 'vitest';
import { MailRate } from './mail-rate.js';

describe('MailRate', () => {
  it('gives each client a minute’s worth at once, and then as many as come back evenly', () => {
    let now = 0;
    const rate = new MailRate(60, () => now);
    const takes = (count: number, client = 'a') =>
      Array.from({ length: count }, () => rate.take(client)).filter(Boolean).length;
    expect(takes(70)).toBe(60);
    expect(takes(5, 'b')).toBe(5);
    now += 500;
    expect(takes(2)).toBe(0);
    now += 500;
    expect(takes(2)).toBe(1);
    now += 3_600_000;
    expect(takes(100)).toBe(60);
  });

  it('forgets the oldest of too many clients', () => {
    const rate = new MailRate(1, () => 0);
    expect(rate.take('first')).toBe(true);
    expect(rate.take('first')).toBe(false);
    for (let i = 0; i < 50_000; i++) rate.take(`other ${i}`);
    expect(rate.take('first')).toBe(true);
  });
});
