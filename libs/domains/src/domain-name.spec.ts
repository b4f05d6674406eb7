import { describe, expect, it } from 'vitest';
import { isDomainName, normaliseDomainName } from './domain-name.js';

describe('a domain name', () => {
  it('is stored in lower case, as A-labels, without a final dot', () => {
    expect(normaliseDomainName(' Mail.Example.COM. ')).toBe('mail.example.com');
    expect(normaliseDomainName('Bücher.example')).toBe('xn--bcher-kva.example');
    expect(normaliseDomainName('xn--bcher-kva.example')).toBe('xn--bcher-kva.example');
  });

  it('is refused where it is no host name', () => {
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

  it('counts only in its stored form', () => {
    expect(isDomainName('mail.example.com')).toBe(true);
    for (const other of ['Mail.example.com', 'mail.example.com.', 'bücher.example', "'; --", 'a\0.example'])
      expect(isDomainName(other), other).toBe(false);
  });
});
