import { describe, expect, it } from 'vitest';
import { JSON_OID, textArray } from './text-array.js';

const words = (array: Buffer) => Array.from({ length: 5 }, (_, i) => array.readInt32BE(4 * i));

describe('textArray', () => {
  it('counts octets, not characters, and tells null from empty', () => {
    const array = textArray(['ü', null, '']);
    expect(words(array)).toEqual([1, 1, 25, 3, 1]);
    expect(array.subarray(20).toString('hex')).toBe('00000002c3bcffffffff00000000');
  });

  it('names another type of its elements', () => {
    expect(words(textArray(['{}'], JSON_OID))).toEqual([1, 0, 114, 1, 1]);
  });
});
