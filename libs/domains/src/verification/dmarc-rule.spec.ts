import type { DnsAnswer } from '#libs/dns';
import { describe, expect, it } from 'vitest';
import { dmarcNames, walkDmarc } from './dmarc-rule.js';

type Zone = Record<string, string[] | 'SERVFAIL'>;
const DOMAIN = 'mail.example.co.uk';

async function walk(zone: Zone, domain = DOMAIN) {
  const asked: string[] = [];
  const outcome = await walkDmarc(domain, (name) => {
    asked.push(name);
    const texts = zone[name];
    const answer: DnsAnswer =
      texts === 'SERVFAIL'
        ? { kind: 'no_answer', reason: 'the name server failed' }
        : texts === undefined
          ? { kind: 'none' }
          : { kind: 'found', values: texts };
    return Promise.resolve(answer);
  });
  return { ...outcome, asked };
}

const AT = `_dmarc.${DOMAIN}`;
const ORGANISATION = '_dmarc.example.co.uk';

describe('walkDmarc', () => {
  it('queries the domain and its parents, but at most eight names', () => {
    expect(dmarcNames('a.example.com')).toEqual(['_dmarc.a.example.com', '_dmarc.example.com', '_dmarc.com']);
    // The example of RFC 9989 §4.10: with nine labels or more the walk continues at seven.
    expect(dmarcNames('a.b.c.d.e.f.g.h.i.j.mail.example.com')).toEqual([
      '_dmarc.a.b.c.d.e.f.g.h.i.j.mail.example.com',
      '_dmarc.g.h.i.j.mail.example.com',
      '_dmarc.h.i.j.mail.example.com',
      '_dmarc.i.j.mail.example.com',
      '_dmarc.j.mail.example.com',
      '_dmarc.mail.example.com',
      '_dmarc.example.com',
      '_dmarc.com',
    ]);
    expect(dmarcNames('b.c.d.e.f.g.h.com')).toHaveLength(8);
  });

  it.each<[what: string, zone: Zone, verdict: string]>([
    ['a record at the domain', { [AT]: ['v=DMARC1; p=none'] }, 'verified'],
    ['one at the organisational domain', { [ORGANISATION]: ['v=DMARC1; p=reject; sp=none'] }, 'verified'],
    ['one at the public suffix, psd=y', { '_dmarc.co.uk': ['v=DMARC1; p=reject; psd=y'] }, 'verified'],
    ['one at the top level', { '_dmarc.uk': ['v=DMARC1; p=none; psd=y; np=reject'] }, 'verified'],
    ['psd=n at the domain', { [AT]: ['v=DMARC1; psd=n; p=quarantine'] }, 'verified'],
    ['none anywhere', {}, 'missing'],
    ['other texts only', { [AT]: ['v=spf1 -all'], [ORGANISATION]: ['hello'] }, 'missing'],
    ['two at the domain', { [AT]: ['v=DMARC1; p=none', 'v=DMARC1; p=reject'] }, 'wrong'],
    [
      'two at the domain, one above',
      { [AT]: Array(2).fill('v=DMARC1; p=none'), [ORGANISATION]: ['v=DMARC1; p=none'] },
      'verified',
    ],
    ['one beside another text', { [AT]: ['hello', 'v=DMARC1; p=none'] }, 'verified'],
    ['tags of the old RFC', { [AT]: ['v=DMARC1; p=none; pct=50; rf=afrf; ri=86400'] }, 'verified'],
    ['tags of the new RFC', { [AT]: ['v=DMARC1; p=reject; np=reject; t=y'] }, 'verified'],
    ['the version not first', { [AT]: ['p=none; v=DMARC1'] }, 'wrong'],
    ['the version in other letters', { [AT]: ['v=dmarc1; p=none'] }, 'wrong'],
    ['another version', { [AT]: ['v=DMARC2; p=none'] }, 'wrong'],
    ['spaces around', { [AT]: ['  v = DMARC1 ;  p = Reject ; '] }, 'verified'],
    ['no policy, but an address for reports', { [AT]: ['v=DMARC1; rua=mailto:d@example.com'] }, 'verified'],
    ['no policy and no address', { [AT]: ['v=DMARC1; fo=1'] }, 'wrong'],
    ['a policy that does not exist', { [AT]: ['v=DMARC1; p=monitor'] }, 'wrong'],
    ['the same tag twice', { [AT]: ['v=DMARC1; p=none; p=reject'] }, 'wrong'],
    ['no answer at the domain, a record above', { [AT]: 'SERVFAIL', [ORGANISATION]: ['v=DMARC1; p=none'] }, 'verified'],
    ['no answer above, nothing at the domain', { [ORGANISATION]: 'SERVFAIL' }, 'unanswered'],
  ])('%s', async (_what, zone, verdict) => {
    const outcome = await walk(zone);
    expect(outcome.verdict).toBe(verdict);
    expect(outcome.asked.length).toBeLessThanOrEqual(8);
    if (verdict === 'wrong') expect(outcome).toMatchObject({ observed: zone[AT], error: expect.stringMatching(/\.$/) });
  });

  it('ends at the first valid record', async () => {
    expect((await walk({ [AT]: ['v=DMARC1; p=none'] })).asked).toEqual([AT]);
  });
});
