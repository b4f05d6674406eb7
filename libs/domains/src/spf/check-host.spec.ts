import type { DnsAnswer } from '#libs/dns';
import { describe, expect, it } from 'vitest';
import { checkHost, type SpfDns } from './check-host.js';

const TXT: Record<string, string[]> = {
  'plain.example': ['other text', 'v=spf1 ip4:192.0.2.10 ip6:2001:db8::/64 -all'],
  'soft.example': ['v=spf1 include:plain.example ~all'],
  'hosts.example': ['v=spf1 a:a.example/30//64 mx exists:a.example -all'],
  'mail.example': ['v=spf1 mx ?all'],
  'own.example': ['v=spf1 a -all'],
  'led.example': ['v=spf1 redirect=plain.example'],
  'lost.example': ['v=spf1 redirect=none.example'],
  'twice.example': ['v=spf1 -all', 'v=spf1 +all'],
  'broken.example': ['v=spf1 ip4:300.0.2.1 -all'],
  'loop.example': ['v=spf1 include:loop.example -all'],
  'gone.example': ['v=spf1 include:none.example -all'],
  'away.example': ['v=spf1 include:silent.example -all'],
  'macro.example': ['v=spf1 exists:%{ir}._a.ok.example include:%{d2}._spf.example -all'],
  'macro.example._spf.example': ['v=spf1 a:%{l}.%{o}/24 exists:%{h}.known.example -all'],
  'unknown.example': ['v=spf1 exists:%{p}.ok.example redirect=%{p}.example'],
  'mistaken.example': ['v=spf1 exists:%{x}.example -all'],
  'void.example': ['v=spf1 a:none.example a:no.example a:nor.example ip4:192.0.2.10 -all'],
  'open.example': ['v=spf1'],
};
const ADDRESSES: Record<string, string[]> = {
  'a.example': ['192.0.2.8', '2001:db8:1::1'],
  'mx.example': ['192.0.2.77'],
  'own.example': ['192.0.2.9'],
  '7.2.0.192._a.ok.example': ['127.0.0.2'],
  'postmaster.macro.example': ['192.0.3.1'],
  'smtp.known.example.known.example': ['127.0.0.2'],
};

const answer = (values: string[] | undefined): Promise<DnsAnswer> =>
  Promise.resolve(values === undefined ? { kind: 'none' } : { kind: 'found', values });
const dns: SpfDns = {
  texts: (name) =>
    name === 'silent.example' ? Promise.resolve({ kind: 'no_answer', reason: 'silence' }) : answer(TXT[name]),
  addresses: (name) => answer(ADDRESSES[name]),
  mx: (name) => answer(name === 'mail.example' ? ['mx.example'] : undefined),
};
const evaluate = (address: string, domain: string, helo = 'smtp.example') => checkHost({ address, domain, helo }, dns);
const result = async (address: string, domain: string) => (await evaluate(address, domain)).result;

describe('checkHost', () => {
  it.each([
    ['192.0.2.10', 'plain.example', 'pass'],
    ['2001:db8::5', 'plain.example', 'pass'],
    ['::ffff:192.0.2.10', 'plain.example', 'pass'],
    ['192.0.2.11', 'plain.example', 'fail'],
    ['192.0.2.10', 'soft.example', 'pass'],
    ['192.0.2.11', 'soft.example', 'softfail'],
    ['192.0.2.11', 'hosts.example', 'pass'],
    ['2001:db8:1::9', 'hosts.example', 'pass'],
    ['192.0.2.77', 'mail.example', 'pass'],
    ['192.0.2.78', 'mail.example', 'neutral'],
    ['192.0.2.9', 'own.example', 'pass'],
    ['192.0.2.10', 'led.example', 'pass'],
    ['192.0.2.10', 'lost.example', 'permerror'],
    ['192.0.2.10', 'none.example', 'none'],
    ['192.0.2.10', 'twice.example', 'permerror'],
    ['192.0.2.10', 'broken.example', 'permerror'],
    ['192.0.2.10', 'gone.example', 'permerror'],
    ['192.0.2.10', 'away.example', 'temperror'],
    ['192.0.2.7', 'macro.example', 'pass'],
    ['192.0.3.77', 'macro.example', 'pass'],
    ['192.0.2.10', 'macro.example', 'fail'],
    ['192.0.2.10', 'unknown.example', 'neutral'],
    ['192.0.2.10', 'mistaken.example', 'permerror'],
    ['192.0.2.10', 'open.example', 'neutral'],
  ])('%s at %s: %s', async (address, domain, expected) => {
    expect(await result(address, domain)).toBe(expected);
  });

  it('uses the name in EHLO', async () => {
    expect((await evaluate('198.51.100.1', 'macro.example', 'smtp.known.example')).result).toBe('pass');
  });

  it('counts look-ups, of which ten are allowed, and answers without a record', async () => {
    expect(await evaluate('192.0.2.10', 'loop.example')).toEqual({
      result: 'permerror',
      problem: 'it costs more than 10 look-ups',
      lookups: 11,
      voids: 0,
    });
    expect(await evaluate('192.0.2.10', 'void.example')).toMatchObject({ result: 'pass', lookups: 3, voids: 3 });
    expect(await evaluate('192.0.2.10', 'plain.example')).toMatchObject({ lookups: 0, voids: 0 });
  });
});
