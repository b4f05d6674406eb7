import { describe, expect, it } from 'vitest';
import { JSON_OID, textArray } from './outbox.js';

const header = (array: Buffer) => Array.from({ length: 5 }, (_, i) => array.readInt32BE(4 * i));

describe('textArray', () => {
  it('measures bytes, not characters, and distinguishes null from an empty text', () => {
    const array = textArray(['ü', null, '']);
    expect(header(array)).toEqual([1, 1, 25, 3, 1]);
    expect(array.subarray(20).toString('hex')).toBe('00000002c3bcffffffff00000000');
  });

  it('can have another element type', () => {
    expect(header(textArray(['{}'], JSON_OID))).toEqual([1, 0, 114, 1, 1]);
  });
});
