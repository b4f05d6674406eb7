import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StsPolicies } from './sts-policies.js';
import type { KeptStsPolicy, StsAnswer } from './sts-policies.js';

const file = (mode: string, maxAge = 604_800) =>
  `version: STSv1\r\nmode: ${mode}\r\nmx: mx.to.test\r\nmax_age: ${maxAge}\r\n`;
const LOOK_AGAIN_MS = 300_001;

/** One domain whose DNS and web server can be changed, and two processes that share a store. */
class Stage {
  texts: string[] | 'broken' = ['v=STSv1; id=1;'];
  answer: StsAnswer = { kind: 'fetched', text: file('enforce') };
  asked = { texts: 0, fetches: 0 };
  kept = new Map<string, KeptStsPolicy>();
  storeIsDown = false;

  process(): StsPolicies {
    return new StsPolicies({
      store: {
        find: (domain) => {
          if (this.storeIsDown) return Promise.reject(new Error('the database is away'));
          const kept = this.kept.get(domain);
          const isAlive = kept && kept.fetchedAt.getTime() + kept.policy.maxAgeSeconds * 1000 > Date.now();
          return Promise.resolve(isAlive ? kept : null);
        },
        keep: (domain, kept) => {
          if (this.storeIsDown) return Promise.reject(new Error('the database is away'));
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

let stage: Stage;
const modeOf = async (policies: StsPolicies) => {
  const { policy, fault } = await policies.find('to.test');
  return policy?.mode ?? fault?.type ?? 'absent';
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  stage = new Stage();
});
afterEach(() => vi.useRealTimers());

describe('the policy of a domain', () => {
  it('is asked for once by many mails, and not again within five minutes', async () => {
    const policies = stage.process();
    await Promise.all(Array.from({ length: 50 }, () => modeOf(policies)));
    vi.advanceTimersByTime(LOOK_AGAIN_MS - 1_000);
    expect(await modeOf(policies)).toBe('enforce');
    expect(stage.asked).toEqual({ texts: 1, fetches: 1 });
  });

  it('is not fetched again while the record says the same', async () => {
    const policies = stage.process();
    await modeOf(policies);
    vi.advanceTimersByTime(LOOK_AGAIN_MS);
    await modeOf(policies);
    expect(stage.asked).toEqual({ texts: 2, fetches: 1 });
  });

  it('is fetched again when the record has another id', async () => {
    const policies = stage.process();
    await modeOf(policies);
    Object.assign(stage, { texts: ['v=STSv1; id=2;'], answer: { kind: 'fetched', text: file('testing') } });
    vi.advanceTimersByTime(LOOK_AGAIN_MS);
    expect(await modeOf(policies)).toBe('testing');
    expect(stage.kept.get('to.test')).toMatchObject({ id: '2', policy: { mode: 'testing' } });
  });

  it('is fetched again before it runs out, daily at least', async () => {
    const policies = stage.process();
    await modeOf(policies);
    vi.advanceTimersByTime(86_400_001);
    await modeOf(policies);
    expect(stage.asked.fetches).toBe(2);
    stage.answer = { kind: 'fetched', text: file('enforce', 3_600) };
    vi.advanceTimersByTime(86_400_001);
    await modeOf(policies);
    vi.advanceTimersByTime(1_800_001);
    await modeOf(policies);
    expect(stage.asked.fetches).toBe(4);
  });

  it.each<[string, Partial<Stage>]>([
    ['the record is gone', { texts: [] }],
    ['DNS is broken', { texts: 'broken' }],
    ['there are two records', { texts: ['v=STSv1; id=1;', 'v=STSv1; id=2;'] }],
    ['the web server is gone', { texts: ['v=STSv1; id=2;'], answer: { kind: 'failed', reason: 'timeout' } }],
    ['its certificate is bad', { texts: ['v=STSv1; id=2;'], answer: { kind: 'certificate', reason: 'expired' } }],
    ['the file is garbage', { texts: ['v=STSv1; id=2;'], answer: { kind: 'fetched', text: '<html>' } }],
  ])('is kept when %s, in another process too, until it runs out', async (_, change) => {
    const policies = stage.process();
    await modeOf(policies);
    Object.assign(stage, change);
    vi.advanceTimersByTime(LOOK_AGAIN_MS);
    expect(await modeOf(policies)).toBe('enforce');
    expect(await modeOf(stage.process())).toBe('enforce');
    vi.advanceTimersByTime(604_800_000);
    expect(await modeOf(stage.process())).not.toBe('enforce');
  });

  it.each<[string, Partial<Stage>, string, number]>([
    ['nothing is published', { texts: [] }, 'absent', 0],
    ['DNS is broken', { texts: 'broken' }, 'absent', 0],
    ['the file is not there', { answer: { kind: 'failed', reason: 'status_not_200' } }, 'sts-policy-fetch-error', 1],
    ['the certificate is bad', { answer: { kind: 'certificate', reason: 'expired' } }, 'sts-webpki-invalid', 1],
    ['the file is garbage', { answer: { kind: 'fetched', text: 'mode: enforce' } }, 'sts-policy-invalid', 1],
  ])('is none when %s at the first look, and that is asked again later', async (_, change, expected, fetches) => {
    Object.assign(stage, change);
    const policies = stage.process();
    expect([await modeOf(policies), await modeOf(policies)]).toEqual([expected, expected]);
    expect(stage.asked.fetches).toBe(fetches);
    Object.assign(stage, new Stage());
    vi.advanceTimersByTime(LOOK_AGAIN_MS);
    expect(await modeOf(policies)).toBe('enforce');
  });

  it('is found anew when the database is away', async () => {
    stage.storeIsDown = true;
    expect(await modeOf(stage.process())).toBe('enforce');
  });
});
