import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PeerFixture, type SentMail } from '../support/mail-servers/peer-fixture.js';
import { until } from '../support/timing/until.js';

const OUTAGE_MS = 300_000;
const BEFORE_MS = 20_000;
/** Mails per second, one after the other. */
const RATE = 5;
const DOMAINS = 150;
const RESUMES_WITHIN_MS = 30_000;
const ANSWERED_WITHIN_MS = 2_000;
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));

/** No name server answers for five minutes while mails are accepted. */
describe('five minutes without DNS', () => {
  const fixture = new PeerFixture({ network: 1, zone: 'test' });
  const peer = fixture.peer({});
  const domains = Array.from({ length: DOMAINS }, (_, i) => `away-${i}.test`);
  for (const domain of domains) fixture.zone(domain, { A: peer.hosts });
  const before: Accepted[] = [];
  const during: Accepted[] = [];
  let backAt = 0;
  let askedDuring = 0;

  beforeAll(async () => {
    await fixture.start();
    before.push(...(await send(BEFORE_MS)));
    fixture.dns.isAway = true;
    const askedBefore = fixture.dns.questions.length;
    during.push(...(await send(OUTAGE_MS)));
    askedDuring = fixture.dns.questions.length - askedBefore;
    fixture.dns.isAway = false;
    backAt = Date.now();
  }, OUTAGE_MS + 90_000);
  afterAll(() => fixture.stop());

  it('take mail as before', () => {
    console.info(`accepted in ms: before ${spread(before)}; without DNS ${spread(during)}`);
    expect(during.length).toBeGreaterThan(0.9 * RATE * (OUTAGE_MS / 1_000));
    expect(during.filter(({ ms }) => ms > ANSWERED_WITHIN_MS)).toEqual([]);
  });

  it('are asked for once a second, and now and then for a mail', () => {
    const seconds = OUTAGE_MS / 1_000;
    // Each question is tried twice.
    expect(askedDuring).toBeGreaterThan(seconds / 2);
    expect(askedDuring).toBeLessThan(10 * seconds);
  });

  it('cost no mail an attempt, and 30 s later all of them are at their server, each once', async () => {
    const all = [...before, ...during];
    await until(() => Promise.resolve(fixture.dots(...peer.hosts).length >= all.length), {
      what: `the last of ${all.length} mails`,
      withinMs: RESUMES_WITHIN_MS - (Date.now() - backAt),
      everyMs: 200,
    });
    console.info(
      `the last of ${during.length} mails arrived ${Date.now() - backAt} ms after the name servers were back`,
    );
    const ends: string[] = [];
    for (const { sent } of all)
      for (const { status, attempts } of await sent.ended()) ends.push(`${status} ${attempts}`);
    expect(new Set(ends)).toEqual(new Set(['delivered 1']));
    expect(fixture.dots(...peer.hosts)).toHaveLength(all.length);
  });

  interface Accepted {
    sent: SentMail;
    ms: number;
  }

  async function send(forMs: number): Promise<Accepted[]> {
    const accepted: Accepted[] = [];
    const start = Date.now();
    for (let i = 0; Date.now() - start < forMs; i++) {
      const sent = fixture.mail({ ...peer, domain: domains[i % DOMAINS] });
      const from = performance.now();
      await sent.send();
      accepted.push({ sent, ms: performance.now() - from });
      await sleep(start + ((i + 1) * 1_000) / RATE - Date.now());
    }
    return accepted;
  }

  function spread(some: readonly Accepted[]): string {
    const sorted = some.map(({ ms }) => ms).sort((a, b) => a - b);
    const at = (part: number) => sorted[Math.floor(part * (sorted.length - 1))].toFixed(1);
    return `median ${at(0.5)}, p99 ${at(0.99)}, most ${at(1)}`;
  }
});
