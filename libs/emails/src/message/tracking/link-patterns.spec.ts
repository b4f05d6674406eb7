import { describe, expect, it } from 'vitest';
import { matchesLinkPattern } from './link-patterns.js';

describe('matchesLinkPattern', () => {
  it.each([
    ['login.example.com', 'https://Login.example.com/x?token=1'],
    ['*.example.com', 'http://a.b.example.com/'],
    ['example.com/reset/*', 'https://example.com/reset/abc?x=1'],
    ['example.com/*/verify', 'https://example.com/u/1/VERIFY'],
    ['*/magic-link*', 'https://app.example.com/a/magic-link?t=1'],
    ['example.com:8443', 'https://example.com:8443#x'],
    ['*', 'https://a.example'],
  ])('%s matches %s', (pattern, link) => {
    expect(matchesLinkPattern(['other.example', pattern], link)).toBe(true);
  });

  it.each([
    ['example.com', 'https://www.example.com/'],
    ['*.example.com', 'https://example.com/'],
    ['example.com/reset', 'https://example.com/reset/abc'],
    ['example.com/*a*a', 'https://example.com/a'],
    ['example.com/reset/*', 'https://evil.example/example.com/reset/x'],
  ])('%s does not match %s', (pattern, link) => {
    expect(matchesLinkPattern([pattern], link)).toBe(false);
  });

  it('matches nothing without patterns', () => {
    expect(matchesLinkPattern([], 'https://a.example')).toBe(false);
  });
});
