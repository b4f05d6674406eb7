import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PeerFixture, type ShownAttempt } from '../support/mail-servers/peer-fixture.js';
import type { MxAction } from '../support/mail-servers/scripted-mx.js';

/** Seconds that a peer may take in each phase, and in a whole attempt. */
const PHASE_SECONDS = 2;
const ATTEMPT_SECONDS = 8;
const PHASES = ['connect', 'greeting', 'ehlo', 'mail', 'rcpt', 'data'].map((phase) => `${phase}=${PHASE_SECONDS}s`);
/** More than the socket buffers of both ends hold. */
const BIG = {
  attachments: [{ filename: 'big.txt', content: Buffer.alloc(3_000_000, 'attached ').toString('base64') }],
};

const seconds = ({ started_at, ended_at }: ShownAttempt): number =>
  (Date.parse(ended_at) - Date.parse(started_at)) / 1_000;

/** What peers that drip or flood may cost: time and memory. */
describe('delivery to peers that drip and flood', () => {
  const fixture = new PeerFixture({ network: 1, zone: 'test' });
  const slowly: MxAction = { drip: '250 ok', everyMs: 30 };
  const dripping = fixture.mail(
    fixture.peer({ on: { banner: { drip: '220 ok', everyMs: 30 }, ehlo: slowly, mail: slowly, rcpt: slowly } }),
    Array.from({ length: 40 }, (_, i) => `n${i}`),
  );
  const reading = fixture.mail(fixture.peer({ on: { content: 'silence' } }), ['one'], BIG);
  const flooding = (['banner', 'ehlo', 'mail', 'rcpt', 'dot'] as const).flatMap((moment) =>
    [
      { flood: '2', bytes: 200_000_000 },
      { flood: '250-more\r\n', bytes: 10_000_000 },
    ].map((step) => fixture.peer({ on: { [moment]: step } })),
  );

  beforeAll(() =>
    fixture.start({
      SMTP_OUT_TIMEOUTS: [...PHASES, 'dot=4s', `total=${ATTEMPT_SECONDS}s`].join(),
      DELIVERY_RETRY_SCHEDULE: '1s,2s',
      DELIVERY_LIFETIME: '16s',
    }),
  );
  afterAll(() => fixture.stop());

  const residentKb = (): number =>
    Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${fixture.sender.pid}/status`, 'utf8'))?.[1]);

  it('ends within the limit of an attempt', async () => {
    for (const sent of [dripping, reading]) expect(seconds(await sent.attempt())).toBeLessThan(ATTEMPT_SECONDS + 1);
  });

  it('costs less than 50 MB of memory', async () => {
    const before = residentKb();
    const sent = await Promise.all(flooding.map((peer) => fixture.mail(peer).send()));
    await Promise.all(sent.map((one) => one.attempt()));
    expect(residentKb() - before).toBeLessThan(50_000);
  });
});
