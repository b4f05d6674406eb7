import type { DnsAnswer } from '#libs/dns';
import { describe, expect, it } from 'vitest';
import { reachesInclude } from './spf-nested.js';

const OURS = 'spf.postloft.test';

/** Records by name; null: no answer. */
const zone = (records: Record<string, string | string[] | null>) => {
  const asked: string[] = [];
  const query = (name: string): Promise<DnsAnswer> => {
    asked.push(name);
    const found = records[name];
    if (found === null) return Promise.resolve({ kind: 'no_answer', reason: 'SERVFAIL' });
    return Promise.resolve(found === undefined ? { kind: 'none' } : { kind: 'found', values: [found].flat() });
  };
  return { asked, reach: (record: string) => reachesInclude([record], OURS, query) };
};

describe('reachesInclude', () => {
  it.each<[string, string, Record<string, string | string[]>]>([
    ['redirect', 'v=spf1 redirect=_spf.example.com', { '_spf.example.com': `v=spf1 mx include:${OURS} -all` }],
    ['an include', 'v=spf1 include:_spf.example.com -all', { '_spf.example.com': `v=spf1 include:${OURS} ?all` }],
    [
      'capitals and final dots',
      'V=SPF1 INCLUDE:_SPF.Example.com. -ALL',
      { '_spf.example.com': `v=spf1 include:${OURS}.` },
    ],
    [
      'several levels of both',
      'v=spf1 ip4:192.0.2.1 redirect=a.example',
      {
        'a.example': ['txt', 'v=spf1 include:b.example -all'],
        'b.example': 'v=spf1 include:c.example redirect=d.example',
        'd.example': `v=spf1 include:${OURS} -all`,
      },
    ],
    ['our record itself by redirect', `v=spf1 redirect=${OURS}`, {}],
    [
      'one of several includes',
      'v=spf1 include:x.example include:y.example ~all',
      { 'y.example': `v=spf1 include:${OURS} -all` },
    ],
  ])('finds it through %s', async (_what, record, records) => {
    expect(await zone(records).reach(record)).toBe('reached');
  });

  it.each<[string, string, Record<string, string | string[]>]>([
    ['behind all', 'v=spf1 -all include:a.example', { 'a.example': `v=spf1 include:${OURS} -all` }],
    [
      'behind all in the included record',
      'v=spf1 include:a.example -all',
      { 'a.example': `v=spf1 -all include:${OURS}` },
    ],
    ['in a redirect beside all', 'v=spf1 redirect=a.example -all', { 'a.example': `v=spf1 include:${OURS} -all` }],
    ['with another qualifier', 'v=spf1 ?include:a.example -all', { 'a.example': `v=spf1 include:${OURS} -all` }],
    ['with another qualifier inside', 'v=spf1 include:a.example -all', { 'a.example': `v=spf1 ~include:${OURS} -all` }],
    [
      'in one of two records',
      'v=spf1 include:a.example -all',
      { 'a.example': [`v=spf1 include:${OURS} -all`, 'v=spf1 -all'] },
    ],
    ['in an invalid record', 'v=spf1 include:a.example -all', { 'a.example': `v=spf1 ip4:x include:${OURS} -all` }],
    ['behind a macro', 'v=spf1 include:%{d}.example -all', { '%{d}.example': `v=spf1 include:${OURS} -all` }],
    ['nowhere', 'v=spf1 include:a.example mx -all', { 'a.example': 'v=spf1 -all' }],
  ])('does not find it %s', async (_what, record, records) => {
    expect(await zone(records).reach(record)).toBe('not_reached');
  });

  it('says that DNS does not answer, unless another way leads there', async () => {
    const records = { 'a.example': null, 'b.example': `v=spf1 include:${OURS} -all` };
    expect(await zone(records).reach('v=spf1 include:a.example -all')).toEqual({ unanswered: 'SERVFAIL' });
    expect(await zone(records).reach('v=spf1 include:a.example include:b.example -all')).toBe('reached');
  });

  it('asks about ten names at most, each once', async () => {
    const loop = zone({
      'a.example': 'v=spf1 include:b.example include:a.example -all',
      'b.example': 'v=spf1 redirect=a.example',
    });
    expect(await loop.reach('v=spf1 include:a.example -all')).toBe('not_reached');
    expect(loop.asked).toEqual(['a.example', 'b.example']);
    const wide = zone({});
    await wide.reach(`v=spf1 ${Array.from({ length: 40 }, (_, i) => `include:s${i}.example`).join(' ')} -all`);
    expect(wide.asked).toHaveLength(10);
  });
});
