import { describe, expect, it } from 'vitest';
import { claimableName } from './claimable-name.js';

const claim = (name: string) => claimableName(name, 'postloft.test');
const refusal = (name: string) => {
  try {
    return claim(name);
  } catch (error) {
    return (error as { details: { code: string }[] }).details[0].code;
  }
};

describe('a name that an account may add', () => {
  it('is one that can be had, in its stored form', () => {
    expect(claim('Mail.Example.CO.UK.')).toBe('mail.example.co.uk');
    expect(claim('me.github.io')).toBe('me.github.io');
    expect(claim('bücher.example')).toBe('xn--bcher-kva.example');
    // Of a top level that the list does not know.
    expect(claim('mail.internal')).toBe('mail.internal');
  });

  it('is no public suffix, be it of a registry or of a company', () => {
    for (const name of ['co.uk', 'CO.UK.', 'github.io', 'foo.ck', 'kawasaki.jp', 'рус.рф'.split('.')[1], 'com'])
      expect(['public_suffix', 'invalid_domain'], name).toContain(refusal(name));
    expect(refusal('github.io')).toBe('public_suffix');
  });

  it('is not one at which the service itself answers', () => {
    for (const name of ['sim.postloft.test', 'x.sim.postloft.test', 'SPF.postloft.test', 'bounces.postloft.test'])
      expect(refusal(name), name).toBe('reserved_domain');
    for (const name of ['postloft.test', 'mail.postloft.test', 'mysim.postloft.test', 'sim.postloft.test.example'])
      expect(claim(name)).toBe(name);
  });
});
