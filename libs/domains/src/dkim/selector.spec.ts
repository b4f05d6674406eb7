import { describe, expect, it } from 'vitest';
import { aliasTarget, newSelector, SELECTOR_VARIANTS, selectorFor } from './selector.js';

describe('the selector of an entry', () => {
  it('is a random label', () => {
    const selectors = Array.from({ length: 1_000 }, newSelector);
    for (const selector of selectors) expect(selector).toMatch(/^pl[a-z2-7]{8}$/);
    expect(new Set(selectors).size).toBe(1_000);
  });

  it('has two variants for each algorithm, which no other entry can have', () => {
    const places = SELECTOR_VARIANTS.map((place) => [
      selectorFor('plabcdefgh', place, 'rsa'),
      selectorFor('plabcdefgh', place, 'ed25519'),
    ]);
    expect(places).toEqual([
      ['plabcdefgh', 'plabcdefghe'],
      ['plabcdefgh2', 'plabcdefgh2e'],
    ]);
    expect(places.flat().slice(1)).not.toContainEqual(expect.stringMatching(/^pl[a-z2-7]{8}$/));
  });

  it('has a name in the zone of the service', () => {
    expect(aliasTarget('dom_01978c0e5f7b7c3a9d21f0b64c1e88aa', 'plabcdefgh2', 'postloft.test')).toBe(
      'plabcdefgh2.01978c0e5f7b7c3a9d21f0b64c1e88aa.dkim.postloft.test',
    );
  });
});
