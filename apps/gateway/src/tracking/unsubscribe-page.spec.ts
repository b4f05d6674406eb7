import { describe, expect, it } from 'vitest';
import { maskedAddress } from './unsubscribe-page.js';

describe('maskedAddress', () => {
  it.each([
    ['ada@example.com', 'a…@example.com'],
    ['a@example.com', 'a…@example.com'],
    ['😀x@example.com', '😀…@example.com'],
  ])('of %s is %s', (address, masked) => expect(maskedAddress(address)).toBe(masked));
});
