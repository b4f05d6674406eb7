import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StsLookup } from './sts-lookup.js';
import type { StoredStsPolicy, StsFetchResult } from './sts-lookup.js';

const file = (mode: string, maxAge = 604_800) =>
  `version: STSv1\r\nmode: ${mode}\r\nmx: mx.to.test\r\nmax_age: ${maxAge}\r\n`;
const RESULT_TTL_MS = 300_001;

/** A domain with changeable DNS and web server, and processes that share a store. */
class PolicyFixture {
  texts: string[] | 'broken' = ['v=STSv1; id=1;'];
  answer: StsFetchResult = { kind: 'fetched', text: file('enforce') };
  asked = { texts: 0, fetches: 0 };
  kept = new Map<string, StoredStsPolicy>();
  storeIsDown = false;

  process(): StsLookup {
    return new StsLookup({
      store: {
        find: (domain) => {
          if (this.storeIsDown) return Promise.reject(new Error('the database is unavailable'));
          const kept = this.kept.get(domain);
          const isAlive = kept && kept.fetchedAt.getTime() + kept.policy.maxAgeSeconds * 1000 > Date.now();
          return Promise.resolve(isAlive ? kept : null);
        },
        keep: (domain, kept) => {
          if (this.storeIsDown) return Promise.reject(new Error('the database is unavailable'));
          this.kept.set(domain, kept);
          return Promise.resolve();
        },
      },
      texts: () => {
        this.asked.texts += 1;
        return this.texts === 'broken' ? Promise.reject(new Error('ESERVFAIL')) : Promise.resolve(this.texts);
      },
      fetch: () => {
        this.asked.fetches += 1;
        return Promise.resolve(this.answer);
      },
      log: () => undefined,
    });
  }
}

let fixture: PolicyFixture;
const modeOf = async (policies: StsLookup) => {
  const { policy, fault } = await policies.find('to.test');
  return policy?.mode ?? fault?.type ?? 'absent';
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  fixture = new PolicyFixture();
});
afterEach(() => vi.useRealTimers());

describe('the policy of a domain', () => {
  it('is looked up once for many messages, and not again within five minutes', async () => {
    const policies = fixture.process();
    await Promise.all(Array.from({ length: 50 }, () => modeOf(policies)));
    vi.advanceTimersByTime(RESULT_TTL_MS - 1_000);
    expect(await modeOf(policies)).toBe('enforce');
    expect(fixture.asked).toEqual({ texts: 1, fetches: 1 });
  });

  it('is not fetched again while the record is unchanged', async () => {
    const policies = fixture.process();
    await modeOf(policies);
    vi.advanceTimersByTime(RESULT_TTL_MS);
    await modeOf(policies);
    expect(fixture.asked).toEqual({ texts: 2, fetches: 1 });
  });

  it('ends at its max_age in every process, also within the five minutes of a result', async () => {
    fixture.answer = { kind: 'fetched', text: file('enforce', 120) };
    const [policies, other] = [fixture.process(), fixture.process()];
    expect(await modeOf(policies)).toBe('enforce');
    vi.advanceTimersByTime(90_000);
    Object.assign(fixture, { texts: [] });
    expect([await modeOf(policies), await modeOf(other)]).toEqual(['enforce', 'enforce']);
    vi.advanceTimersByTime(30_001);
    expect([await modeOf(policies), await modeOf(other)]).toEqual(['absent', 'absent']);
  });

  it('with a max_age of 0 is used once', async () => {
    fixture.answer = { kind: 'fetched', text: file('enforce', 0) };
    const policies = fixture.process();
    expect(await modeOf(policies)).toBe('enforce');
    fixture.texts = [];
    expect(await modeOf(policies)).toBe('absent');
  });

  it('ends at its max_age while the database is unavailable', async () => {
    Object.assign(fixture, { storeIsDown: true, answer: { kind: 'fetched', text: file('enforce', 120) } });
    const policies = fixture.process();
    expect(await modeOf(policies)).toBe('enforce');
    vi.advanceTimersByTime(120_001);
    fixture.texts = [];
    expect(await modeOf(policies)).toBe('absent');
  });

  it('is fetched again when the record has another id', async () => {
    const policies = fixture.process();
    await modeOf(policies);
    Object.assign(fixture, { texts: ['v=STSv1; id=2;'], answer: { kind: 'fetched', text: file('testing') } });
    vi.advanceTimersByTime(RESULT_TTL_MS);
    expect(await modeOf(policies)).toBe('testing');
    expect(fixture.kept.get('to.test')).toMatchObject({ id: '2', policy: { mode: 'testing' } });
  });

  it('is fetched again before it expires, at least daily', async () => {
    const policies = fixture.process();
    await modeOf(policies);
    vi.advanceTimersByTime(86_400_001);
    await modeOf(policies);
    expect(fixture.asked.fetches).toBe(2);
    fixture.answer = { kind: 'fetched', text: file('enforce', 3_600) };
    vi.advanceTimersByTime(86_400_001);
    await modeOf(policies);
    vi.advanceTimersByTime(1_800_001);
    await modeOf(policies);
    expect(fixture.asked.fetches).toBe(4);
  });

  it.each<[string, Partial<PolicyFixture>]>([
    ['the record is gone', { texts: [] }],
    ['DNS is broken', { texts: 'broken' }],
    ['there are two records', { texts: ['v=STSv1; id=1;', 'v=STSv1; id=2;'] }],
    ['the web server is gone', { texts: ['v=STSv1; id=2;'], answer: { kind: 'failed', reason: 'timeout' } }],
    ['its certificate is invalid', { texts: ['v=STSv1; id=2;'], answer: { kind: 'certificate', reason: 'expired' } }],
    ['the file is malformed', { texts: ['v=STSv1; id=2;'], answer: { kind: 'fetched', text: '<html>' } }],
  ])('is kept when %s, also in another process, until it expires', async (_, change) => {
    const policies = fixture.process();
    await modeOf(policies);
    Object.assign(fixture, change);
    vi.advanceTimersByTime(RESULT_TTL_MS);
    expect(await modeOf(policies)).toBe('enforce');
    expect(await modeOf(fixture.process())).toBe('enforce');
    vi.advanceTimersByTime(604_800_000);
    expect(await modeOf(fixture.process())).not.toBe('enforce');
  });

  it.each<[string, Partial<PolicyFixture>, string, number]>([
    ['nothing is published', { texts: [] }, 'absent', 0],
    ['DNS is broken', { texts: 'broken' }, 'absent', 0],
    ['the file is not there', { answer: { kind: 'failed', reason: 'status_not_200' } }, 'sts-policy-fetch-error', 1],
    ['the certificate is invalid', { answer: { kind: 'certificate', reason: 'expired' } }, 'sts-webpki-invalid', 1],
    ['the file is malformed', { answer: { kind: 'fetched', text: 'mode: enforce' } }, 'sts-policy-invalid', 1],
  ])('is absent when %s at the first lookup, and is looked up again later', async (_, change, expected, fetches) => {
    Object.assign(fixture, change);
    const policies = fixture.process();
    expect([await modeOf(policies), await modeOf(policies)]).toEqual([expected, expected]);
    expect(fixture.asked.fetches).toBe(fetches);
    Object.assign(fixture, new PolicyFixture());
    vi.advanceTimersByTime(RESULT_TTL_MS);
    expect(await modeOf(policies)).toBe('enforce');
  });

  it('is fetched again when the database is unavailable', async () => {
    fixture.storeIsDown = true;
    expect(await modeOf(fixture.process())).toBe('enforce');
  });
});
