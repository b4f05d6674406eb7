import { describe, expect, it } from 'vitest';
import { aboutRates, BOUNCE_LIMITS, DELIVERY_LIMITS, judgeRate, NO_RATES, ofSettled } from './rates.ts';

describe('judgeRate', () => {
  it.each([
    ['too few recipients', null, 0.5, 99, BOUNCE_LIMITS],
    ['no rate', null, null, 1_000, BOUNCE_LIMITS],
    ['a low rate', 'good', 0.0199, 100, BOUNCE_LIMITS],
    ['a raised rate', 'warning', 0.02, 100, BOUNCE_LIMITS],
    ['a high rate', 'bad', 0.05, 100, BOUNCE_LIMITS],
    ['a high delivery rate', 'good', 0.98, 100, DELIVERY_LIMITS],
    ['a lower delivery rate', 'warning', 0.97, 100, DELIVERY_LIMITS],
    ['a low delivery rate', 'bad', 0.94, 100, DELIVERY_LIMITS],
  ] as const)('of %s: %s', (_name, level, rate, settled, limits) => {
    expect(judgeRate(rate, settled, limits)?.level ?? null).toBe(level);
  });
});

it('names the denominator', () => {
  expect([null, 0, 1, 2_943].map(ofSettled)).toEqual([
    '\u00a0',
    'no settled recipients yet',
    'of 1 settled recipient',
    'of 2,943 settled recipients',
  ]);
});

describe('aboutRates', () => {
  it('names the simulator only if it was used', () => {
    expect(aboutRates(NO_RATES)).not.toContain('simulator');
    expect(aboutRates({ ...NO_RATES, simulated: 1 })).toContain('1 of the simulator is left out');
    expect(aboutRates({ ...NO_RATES, simulated: 21 })).toContain('21 of the simulator are left out');
  });

  it('explains more clicks than opens', () => {
    expect(aboutRates({ ...NO_RATES, openedOfSettled: 0.023, clickedOfSettled: 0.027 })).toContain('images');
    expect(aboutRates({ ...NO_RATES, openedOfSettled: 0.03, clickedOfSettled: 0.027 })).not.toContain('images');
  });
});
