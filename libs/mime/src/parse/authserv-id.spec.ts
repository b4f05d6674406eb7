import { describe, expect, it } from 'vitest';
import { authservIdOf } from './authserv-id.js';

describe('authservIdOf', () => {
  it.each([
    ['mx.example.org; spf=pass', 'mx.example.org'],
    ['MX.Example.ORG 1; none', 'mx.example.org'],
    ['mx.example.org.;none', 'mx.example.org'],
    ['"mx.example.org"; none', 'mx.example.org'],
    ['"mx\\.example.org" 1; none', 'mx.example.org'],
    [' (a (nested \\) comment)) mx.example.org(1); none', 'mx.example.org'],
    ['mx.example.org', 'mx.example.org'],
    ['', ''],
    ['; spf=pass', ''],
    ['(never closed mx.example.org', ''],
    [')mx.example.org', ')mx.example.org'],
    ['"never closed', 'never closed'],
  ])('of %j is %j', (value, id) => {
    expect(authservIdOf(value)).toBe(id);
  });

  it.each(['(', '\\', '"', ' ', 'a'])('takes a value of 256 kB of %j', (mark) => {
    expect(authservIdOf(mark.repeat(256 * 1024))).toBeTypeOf('string');
  });
});
