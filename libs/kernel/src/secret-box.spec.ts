import { describe, expect, it } from 'vitest';
import { SecretBox } from './secret-box.js';

const box = new SecretBox(Buffer.alloc(32, 1));

describe('SecretBox', () => {
  it('opens what it sealed, for the same row only', () => {
    const sealed = box.seal('whsec_x', 'wh_1');
    expect(box.open(sealed, 'wh_1')).toBe('whsec_x');
    expect(() => box.open(sealed, 'wh_2')).toThrow();
    expect(sealed.includes('whsec_x')).toBe(false);
  });

  it('opens nothing that was altered in any byte, or made under another key', () => {
    const sealed = box.seal('secret', 'row');
    for (let i = 0; i < sealed.length; i++) {
      const altered = Buffer.from(sealed);
      altered[i] ^= 1;
      expect(() => box.open(altered, 'row'), `byte ${i}`).toThrow();
    }
    expect(() => new SecretBox(Buffer.alloc(32, 2)).open(sealed, 'row')).toThrow();
  });

  it('gives one fingerprint to one secret under one master key', () => {
    expect(box.fingerprint('a')).toEqual(box.fingerprint('a'));
    expect(box.fingerprint('a')).not.toEqual(box.fingerprint('b'));
    expect(new SecretBox(Buffer.alloc(32, 2)).fingerprint('a')).not.toEqual(box.fingerprint('a'));
  });
});
