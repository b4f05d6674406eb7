import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tokenFormat, newApiKeyToken } from './token.js';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('an API key token', () => {
  it('has a prefix, 32 random characters and 6 of checksum', () => {
    expect(newApiKeyToken('live')).toMatch(/^pl_live_[0-9A-Za-z]{38}$/);
    expect(newApiKeyToken('test')).toMatch(/^pl_test_[0-9A-Za-z]{38}$/);
  });

  it('is valid as created', () => {
    for (let i = 0; i < 1_000; i++) expect(tokenFormat(newApiKeyToken(i % 2 ? 'live' : 'test'))).toBe('valid');
  });

  it('has uniformly distributed characters', () => {
    const counts = new Map<string, number>();
    const tokens = 4_000;
    for (let i = 0; i < tokens; i++) {
      for (const c of newApiKeyToken('live').slice(8, 40)) counts.set(c, (counts.get(c) ?? 0) + 1);
    }
    const expected = (tokens * 32) / 62;
    const chiSquare = [...BASE62].reduce((sum, c) => sum + ((counts.get(c) ?? 0) - expected) ** 2 / expected, 0);
    // 61 degrees of freedom: 120 is passed by chance once in 100,000 runs; a plain `% 62` gives more than 2,000.
    expect(chiSquare).toBeLessThan(120);
  });

  it('has a bad checksum with any one wrong character, the mode included', () => {
    const token = newApiKeyToken('live');
    fc.assert(
      fc.property(fc.integer({ min: 8, max: 45 }), fc.constantFrom(...BASE62), (at, other) => {
        fc.pre(token[at] !== other);
        expect(tokenFormat(token.slice(0, at) + other + token.slice(at + 1))).toBe('bad_checksum');
      }),
    );
    expect(tokenFormat(token.replace('pl_live_', 'pl_test_'))).toBe('bad_checksum');
  });

  it('in another format has no checksum', () => {
    for (const foreign of ['', 'my-own-bootstrap-key-0123456789', 'pl_live_short', `${newApiKeyToken('live')}0`, 'é'])
      expect(tokenFormat(foreign)).toBe('foreign');
  });
});
