import { describe, expect, it } from 'vitest';
import { countSpfLookups } from './spf-lookups.js';
import { judgeSpf } from './spf-rule.js';

const OURS = 'spf.postloft.test';
const judge = (...texts: string[]) => judgeSpf(texts, OURS);

describe('judgeSpf', () => {
  it('accepts a record with our include, whatever else it contains', () => {
    for (const text of [
      `v=spf1 include:${OURS} ~all`,
      `v=spf1 +include:${OURS} -all`,
      `V=SPF1 INCLUDE:${OURS.toUpperCase()}. -ALL`,
      `v=spf1  a mx/24 ip4:192.0.2.0/24 ip6:2001:db8::/32 exists:%{i}.example.com  include:${OURS}   redirect=_spf.example.com`,
      `v=spf1 include:${OURS}`,
      `v=spf1 unknown-modifier=x include:${OURS} ?all exp=why.example.com`,
    ])
      expect(judge(text), text).toEqual({ verdict: 'verified', observed: [text], error: null, value: text });
    expect(judge('google-site-verification=x', `v=spf1 include:${OURS} ~all`).verdict).toBe('verified');
  });

  it('says that there is no SPF record', () => {
    for (const texts of [[], ['v=spf10 include:x -all'], ['v=DMARC1; p=none'], ['spf1']])
      expect(judge(...texts)).toEqual({
        verdict: 'missing',
        observed: [],
        error: 'There is no SPF record yet. Add this one.',
        value: `v=spf1 include:${OURS} ~all`,
      });
  });

  it.each([
    ['v=spf1 mx -all', `v=spf1 mx include:${OURS} -all`, `does not contain include:${OURS}`],
    ['v=spf1', `v=spf1 include:${OURS}`, 'does not contain'],
    ['v=spf1 redirect=_spf.example.com', `v=spf1 include:${OURS} redirect=_spf.example.com`, 'does not contain'],
    [`v=spf1 mx ~all include:${OURS}`, `v=spf1 mx include:${OURS} ~all`, 'behind "~all"'],
    [`v=spf1 ?include:${OURS} ~all`, `v=spf1 include:${OURS} ~all`, 'without a qualifier'],
    [`v=spf1 include:other.${OURS} ~all`, `v=spf1 include:other.${OURS} include:${OURS} ~all`, 'does not contain'],
    [`v=spf1 includes:${OURS} ~all`, `v=spf1 includes:${OURS} include:${OURS} ~all`, 'no valid term'],
    [`v=spf1 ip4:192.0.2.256 include:${OURS} ~all`, `v=spf1 ip4:192.0.2.256 include:${OURS} ~all`, 'no valid term'],
    [`v=spf1 ip6:192.0.2.1 include:${OURS} ~all`, `v=spf1 ip6:192.0.2.1 include:${OURS} ~all`, 'no valid term'],
    [
      `v=spf1 include:${OURS} redirect=a.example redirect=b.example`,
      `v=spf1 include:${OURS} redirect=a.example`,
      'twice',
    ],
  ])('refuses %s and proposes %s', (text, value, error) => {
    const judged = judge(text);
    expect(judged).toMatchObject({ verdict: 'wrong', observed: [text], value });
    expect(judged.error).toContain(error);
  });

  it('refuses several records and proposes one with the mechanisms of all', () => {
    const judged = judge('v=spf1 mx include:a.example -all', `v=spf1 mx include:${OURS} ~all`);
    expect(judged).toMatchObject({ verdict: 'wrong', value: `v=spf1 mx include:a.example include:${OURS} -all` });
    expect(judged.error).toContain('more than one SPF record');
  });

  it('proposes a record that it accepts and merges into itself', () => {
    for (const text of [
      'v=spf1 a mx -all',
      'v=spf1 redirect=_spf.example.com',
      'v=spf1',
      `v=spf1 -include:${OURS} -all`,
    ]) {
      const { value = '' } = judge(text);
      expect(judge(value), text).toMatchObject({ verdict: 'verified', value });
    }
  });
});

describe('countSpfLookups', () => {
  const zone: Record<string, string[]> = {
    'a.example': ['v=spf1 a mx include:b.example -all'],
    'b.example': ['txt', 'v=spf1 ip4:192.0.2.1 -all'],
    'loop.example': ['v=spf1 include:loop.example -all'],
    'broken.example': ['v=spf1 nonsense'],
  };
  let asked = 0;
  const count = (record: string) => {
    asked = 0;
    return countSpfLookups(record, (name) => {
      asked += 1;
      return Promise.resolve(zone[name] ?? []);
    });
  };

  it('counts look-ups of includes and redirects', async () => {
    expect(await count('v=spf1 ip4:192.0.2.1 ip6:2001:db8::1 -all')).toBe(0);
    expect(await count('v=spf1 a mx ptr exists:x.example -all')).toBe(4);
    expect(await count('v=spf1 include:a.example redirect=B.example.')).toBe(5);
    expect(await count('v=spf1 include:none.example include:broken.example -all')).toBe(2);
    expect(await count('v=spf1 include:%{d}.example -all')).toBe(1);
    expect(asked).toBe(0);
  });

  it('stops at one more than is allowed', async () => {
    expect(await count('v=spf1 include:loop.example -all')).toBe(11);
    expect(asked).toBeLessThanOrEqual(10);
    expect(await count(`v=spf1 ${'include:a.example '.repeat(100)}-all`)).toBe(11);
    expect(asked).toBeLessThanOrEqual(10);
  });
});
