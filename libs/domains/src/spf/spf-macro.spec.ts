import ipaddr from 'ipaddr.js';
import { describe, expect, it } from 'vitest';
import { expandMacros } from './spf-macro.js';

/** RFC 7208 §7.4. */
const facts = (address = '192.0.2.3') => ({
  address: ipaddr.parse(address),
  domain: 'email.example.com',
  sender: 'strong-bad@email.example.com',
  helo: 'mx.example.org',
});

describe('expandMacros', () => {
  it.each([
    ['%{s}', 'strong-bad@email.example.com'],
    ['%{o}', 'email.example.com'],
    ['%{d}', 'email.example.com'],
    ['%{d4}', 'email.example.com'],
    ['%{d3}', 'email.example.com'],
    ['%{d2}', 'example.com'],
    ['%{d1}', 'com'],
    ['%{dr}', 'com.example.email'],
    ['%{d2r}', 'example.email'],
    ['%{l}', 'strong-bad'],
    ['%{l-}', 'strong.bad'],
    ['%{lr}', 'strong-bad'],
    ['%{lr-}', 'bad.strong'],
    ['%{l1r-}', 'strong'],
    ['%{ir}.%{v}._spf.%{d2}', '3.2.0.192.in-addr._spf.example.com'],
    ['%{lr-}.lp._spf.%{d2}', 'bad.strong.lp._spf.example.com'],
    ['%{lr-}.lp.%{ir}.%{v}._spf.%{d2}', 'bad.strong.lp.3.2.0.192.in-addr._spf.example.com'],
    ['%{ir}.%{v}.%{l1r-}.lp._spf.%{d2}', '3.2.0.192.in-addr.strong.lp._spf.example.com'],
    ['%{d2}.trusted-domains.example.net', 'example.com.trusted-domains.example.net'],
  ])('expands the example of the RFC %s to %s', (text, expected) => {
    expect(expandMacros(text, facts())).toBe(expected);
  });

  it('writes IPv6 addresses as digits', () => {
    expect(expandMacros('%{ir}.%{v}._spf.%{d2}', facts('2001:db8::cb01'))).toBe(
      '1.0.b.c.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6._spf.example.com',
    );
  });

  it('supports the name of HELO, several delimiters, literals and escapes', () => {
    expect(expandMacros('%{h}', facts())).toBe('mx.example.org');
    const sender = { ...facts(), sender: 'a-b+c_d@email.example.com' };
    expect(expandMacros('%{l2r+-_}.x', sender)).toBe('b.a.x');
    expect(expandMacros('%{S}', facts())).toBe('strong-bad%40email.example.com');
    expect(expandMacros('a%%b%_c%-.%{D1}', facts())).toBe('a%b c%20.com');
    expect(expandMacros('plain.Example', facts())).toBe('plain.example');
  });

  it('removes labels from the left where the name is too long', () => {
    const long = `${'a'.repeat(60)}.`.repeat(5);
    expect(expandMacros(`${long}%{d}`, facts())).toBe(`${`${'a'.repeat(60)}.`.repeat(3)}email.example.com`);
  });

  it('returns null where the validated name of the address is needed', () => {
    expect(expandMacros('%{p}.example', facts())).toBeNull();
  });

  it.each(['%', '%x', '%{x}', '%{d', '%{d0}', '%{d2x}', '%{c}', '%{r}', '%{t}', '100%.example'])(
    'refuses %s',
    (text) => {
      expect(() => expandMacros(text, facts())).toThrow(/does not belong into|at least one part/);
    },
  );
});
