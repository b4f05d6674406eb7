import { describe, expect, it } from 'vitest';
import { permitsMx, readStsPolicy, stsId, stsLines } from './sts-policy.js';

const file = (...lines: string[]) => ['version: STSv1', ...lines, ''].join('\r\n');
const GOOD = file('mode: enforce', 'mx: mail.example.com', 'mx: *.example.net', 'max_age: 604800');

describe('an MTA-STS policy file', () => {
  it.each<[string, string]>([
    ['as the RFC shows it', GOOD],
    ['with line feeds alone', GOOD.replaceAll('\r\n', '\n')],
    ['without a last line end', GOOD.trimEnd()],
    ['in another order, with unknown keys', `max_age: 604800\nx-new: 1\n${GOOD.replace(/max_age.*\r\n/, '')}`],
    ['with blanks around', GOOD.replaceAll(': ', ' :   ').replaceAll('\r\n', ' \r\n')],
    ['with a mode said twice, of which the first counts', `${GOOD}mode: none\r\n`],
    ['with names in capitals', GOOD.replace('mail.example.com', 'MAIL.Example.COM')],
  ])('is read %s', (_, text) => {
    expect(readStsPolicy(text)).toEqual({
      kind: 'policy',
      policy: { mode: 'enforce', mx: ['mail.example.com', '*.example.net'], maxAgeSeconds: 604_800 },
    });
  });

  it('needs no mx in mode none, and is kept for a year at most', () => {
    expect(readStsPolicy(file('mode: none', 'max_age: 9999999999'))).toEqual({
      kind: 'policy',
      policy: { mode: 'none', mx: [], maxAgeSeconds: 31_557_600 },
    });
  });

  it.each<[string, string]>([
    ['nothing', ''],
    ['a web page', '<html>version: STSv1</html>'],
    ['another version', GOOD.replace('STSv1', 'STSv2')],
    ['an unknown mode', GOOD.replace('enforce', 'maybe')],
    ['no max_age', GOOD.replace(/max_age.*/, '')],
    ['a negative max_age', GOOD.replace('604800', '-1')],
    ['no mx', file('mode: testing', 'max_age: 1')],
    ['an mx that is no name', GOOD.replace('mail.example.com', 'mail example')],
    ['an asterisk in the middle', GOOD.replace('mail.example.com', 'mail.*.com')],
  ])('with %s is invalid', (_, text) => expect(readStsPolicy(text).kind).toBe('invalid'));

  it('is shown in reports line by line', () => {
    const reading = readStsPolicy(GOOD);
    expect(reading.kind === 'policy' && stsLines(reading.policy)).toEqual(GOOD.trimEnd().split('\r\n'));
  });
});

describe('an MX under a policy', () => {
  const policy = { mode: 'enforce', mx: ['mail.example.com', '*.example.net'], maxAgeSeconds: 1 } as const;
  it.each<[string, boolean]>([
    ['mail.example.com', true],
    ['MAIL.example.com', true],
    ['mx1.example.net', true],
    ['example.net', false],
    ['a.b.example.net', false],
    ['xexample.net', false],
    ['other.example.com', false],
    ['net', false],
  ])('%s is permitted: %s', (host, permitted) => expect(permitsMx(policy, host)).toBe(permitted));
});

describe('the MTA-STS record', () => {
  it.each<[string, string[], string | null]>([
    ['one', ['v=STSv1; id=20261121T080000;'], '20261121T080000'],
    ['one without the last semicolon', ['v=STSv1; id=1'], '1'],
    ['one among other texts', ['google-site-verification=x', 'v=STSv1;id=a1; x=y;'], 'a1'],
    ['two', ['v=STSv1; id=1;', 'v=STSv1; id=2;'], null],
    ['none', [], null],
    ['one without an id', ['v=STSv1;'], null],
    ['one whose id is no word', ['v=STSv1; id=a-b;'], null],
    ['one whose id is too long', [`v=STSv1; id=${'a'.repeat(33)};`], null],
    ['another version', ['v=STSv10; id=1;'], null],
  ])('%s', (_, texts, id) => expect(stsId(texts)).toBe(id));
});
