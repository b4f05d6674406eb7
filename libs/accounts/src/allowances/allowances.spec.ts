import { describe, expect, it } from 'vitest';
import { monthlyLimit } from './allowances.js';

describe('monthlyLimit', () => {
  it.each([
    ['free', 3_000],
    ['unlimited', null],
    ['1', 1],
    ['9999999999', 9_999_999_999],
  ])('of the plan %s is %s', (plan, limit) => {
    expect(monthlyLimit(plan)).toBe(limit);
  });
});
