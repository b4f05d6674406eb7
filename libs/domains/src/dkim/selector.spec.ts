import { describe, expect, it } from 'vitest';
import { aliasTarget, newSelector, PLACES, selectorAt } from './selector.js';

describe('the name of an entry in DNS', () => {
  it('is a label of its own', () => {
    const selectors = Array.from({ length: 1_000 }, newSelector);
    for (const selector of selectors) expect(selector).toMatch(/^pl[a-z2-7]{8}$/);
    expect(new Set(selectors).size).toBe(1_000);
  });

  it('gives its keys two places each, none of which another entry can have', () => {
    const places = PLACES.map((place) => [
      selectorAt('plabcdefgh', place, 'rsa'),
      selectorAt('plabcdefgh', place, 'ed25519'),
    ]);
    expect(places).toEqual([
      ['plabcdefgh', 'plabcdefghe'],
      ['plabcdefgh2', 'plabcdefgh2e'],
    ]);
    expect(places.flat().slice(1)).not.toContainEqual(expect.stringMatching(/^pl[a-z2-7]{8}$/));
  });

  it('has its place in the zone of the service', () => {
    expect(aliasTarget('dom_01978c0e5f7b7c3a9d21f0b64c1e88aa', 'plabcdefgh2', 'postloft.test')).toBe(
      'plabcdefgh2.01978c0e5f7b7c3a9d21f0b64c1e88aa.dkim.postloft.test',
    );
  });
});
