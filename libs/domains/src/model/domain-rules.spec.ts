import { describe, expect, it } from 'vitest';
import { claimableName, isDomainName, normaliseDomainName } from './domain-rules.js';

describe('normaliseDomainName', () => {
  it('returns lower-case A-labels without a final dot', () => {
    expect(normaliseDomainName(' Mail.Example.COM. ')).toBe('mail.example.com');
    expect(normaliseDomainName('Bücher.example')).toBe('xn--bcher-kva.example');
    expect(normaliseDomainName('xn--bcher-kva.example')).toBe('xn--bcher-kva.example');
  });

  it('refuses names that are not host names', () => {
    for (const bad of [
      '',
      '.',
      'localhost',
      'a..b',
      '-a.example',
      'a-.example',
      'a_b.example',
      'a b.example',
      'a@b.example',
      'b.example:25',
      'b.example/x',
      '%61.example',
      '192.0.2.1',
      '*.example.com',
      `${'a'.repeat(64)}.example`,
      `${'a.'.repeat(130)}example`,
      'a\0.example',
    ])
      expect(normaliseDomainName(bad), bad).toBeNull();
  });

  it('is the only form that isDomainName accepts', () => {
    expect(isDomainName('mail.example.com')).toBe(true);
    for (const other of ['Mail.example.com', 'mail.example.com.', 'bücher.example', "'; --", 'a\0.example'])
      expect(isDomainName(other), other).toBe(false);
  });
});

const claim = (name: string) => claimableName(name, 'postloft.test');
const refusal = (name: string) => {
  try {
    return claim(name);
  } catch (error) {
    return (error as { details: { code: string }[] }).details[0].code;
  }
};

describe('claimableName', () => {
  it('returns the stored form', () => {
    expect(claim('Mail.Example.CO.UK.')).toBe('mail.example.co.uk');
    expect(claim('me.github.io')).toBe('me.github.io');
    expect(claim('bücher.example')).toBe('xn--bcher-kva.example');
    // A top-level domain that the public suffix list does not contain.
    expect(claim('mail.internal')).toBe('mail.internal');
  });

  it('refuses public suffixes of registries and of companies', () => {
    for (const name of ['co.uk', 'CO.UK.', 'github.io', 'foo.ck', 'kawasaki.jp', 'рус.рф'.split('.')[1], 'com'])
      expect(['public_suffix', 'invalid_domain'], name).toContain(refusal(name));
    expect(refusal('github.io')).toBe('public_suffix');
  });

  it('refuses names of the service itself', () => {
    for (const name of ['sim.postloft.test', 'x.sim.postloft.test', 'SPF.postloft.test', 'bounces.postloft.test'])
      expect(refusal(name), name).toBe('reserved_domain');
    for (const name of ['postloft.test', 'mail.postloft.test', 'mysim.postloft.test', 'sim.postloft.test.example'])
      expect(claim(name)).toBe(name);
  });
});
