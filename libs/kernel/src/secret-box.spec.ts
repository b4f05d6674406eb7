import { describe, expect, it } from 'vitest';
import { SecretBox } from './secret-box.js';

const box = new SecretBox(Buffer.alloc(32, 1));

describe('SecretBox', () => {
  it('decrypts what it encrypted, for the same row only', () => {
    const sealed = box.seal('whsec_x', 'wh_1');
    expect(box.open(sealed, 'wh_1')).toBe('whsec_x');
    expect(() => box.open(sealed, 'wh_2')).toThrow();
    expect(sealed.includes('whsec_x')).toBe(false);
  });

  it('rejects a ciphertext that was altered in any byte or belongs to another key', () => {
    const sealed = box.seal('secret', 'row');
    for (let i = 0; i < sealed.length; i++) {
      const altered = Buffer.from(sealed);
      altered[i] ^= 1;
      expect(() => box.open(altered, 'row'), `byte ${i}`).toThrow();
    }
    expect(() => new SecretBox(Buffer.alloc(32, 2)).open(sealed, 'row')).toThrow();
  });

  it('has a check value that tells master keys apart and reveals none of them', () => {
    expect(new SecretBox(Buffer.alloc(32, 1)).keyCheck).toEqual(box.keyCheck);
    expect(new SecretBox(Buffer.alloc(32, 2)).keyCheck).not.toEqual(box.keyCheck);
    expect(box.keyCheck).not.toEqual(Buffer.alloc(32, 1));
  });

  it('gives a secret one fingerprint per master key', () => {
    expect(box.fingerprint('a')).toEqual(box.fingerprint('a'));
    expect(box.fingerprint('a')).not.toEqual(box.fingerprint('b'));
    expect(new SecretBox(Buffer.alloc(32, 2)).fingerprint('a')).not.toEqual(box.fingerprint('a'));
  });

  describe('with an earlier master key', () => {
    const next = new SecretBox(Buffer.alloc(32, 2), [Buffer.alloc(32, 1)]);

    it('decrypts what either has encrypted, and encrypts with the present one', () => {
      expect(next.open(box.seal('secret', 'row'), 'row')).toBe('secret');
      expect(new SecretBox(Buffer.alloc(32, 2)).open(next.seal('secret', 'row'), 'row')).toBe('secret');
      expect(() => box.open(next.seal('secret', 'row'), 'row')).toThrow(
        'the master key of a sealed secret is not known',
      );
    });

    it('encrypts anew what another key or no key id has encrypted', () => {
      for (const sealed of [box.seal('secret', 'row'), new SecretBox(Buffer.alloc(32, 2)).seal('secret', 'row')]) {
        const again = next.reseal(sealed, 'row');
        expect(again && next.open(again, 'row')).toBe('secret');
        expect(again && next.reseal(again, 'row')).toBeNull();
      }
    });

    it('follows the database from one to the other', () => {
      const running = new SecretBox(Buffer.alloc(32, 1), [Buffer.alloc(32, 2)]);
      expect(running.otherFingerprints('a')).toEqual([next.fingerprint('a')]);
      expect(running.use(next.keyCheck)).toBe(true);
      expect(running.fingerprint('a')).toEqual(next.fingerprint('a'));
      expect(running.use(Buffer.alloc(32))).toBe(false);
      expect(running.keyCheck).toEqual(next.keyCheck);
    });

    it('knows no fingerprints of the earlier one after its time', () => {
      const late = new SecretBox(Buffer.alloc(32, 2), [Buffer.alloc(32, 1)], new Date(0));
      expect(late.otherFingerprints('a')).toEqual([]);
      expect(late.open(box.seal('secret', 'row'), 'row')).toBe('secret');
    });
  });
});
