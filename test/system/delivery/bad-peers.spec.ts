import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DIALOGUES } from './dialogue-table.js';
import { brokenTls, otherServers, poorServers } from './poor-peers.suite.js';
import { PeerFixture, type PeerHost, type ShownAttempt } from '../../support/mail-servers/peer-fixture.js';
import { PHASE_SECONDS } from '../../support/services/profiles.js';
import { inTurn, type MxAction, type MxStep } from '../../support/mail-servers/scripted-mx.js';

/** Phases that an attempt may report for a broken connection: a reset can arrive before the connect event. */
const PHASES = {
  banner: ['greeting', 'connect'],
  ehlo: ['ehlo'],
  mail: ['mail'],
  rcpt: ['rcpt'],
  data: ['data'],
  content: ['dot'],
};
/** Pipelined: a reset discards the replies to earlier commands that the kernel still buffers. */
const PIPELINED = ['mail', 'rcpt', 'data'];
const phasesOf = (moment: keyof typeof PHASES, how: 'close' | 'reset'): string[] =>
  how === 'reset' && PIPELINED.includes(moment) ? PIPELINED.slice(0, PIPELINED.indexOf(moment) + 1) : PHASES[moment];
/** A server that takes everything. */
const HONEST = {};
/** More than the socket buffers of both ends hold. */
const MEGABYTES = Buffer.alloc(3_000_000, 'attached ').toString('base64');
const BIG = { attachments: [{ filename: 'big.txt', content: MEGABYTES }] };

const brief = (attempt: ShownAttempt): string =>
  [attempt.outcome, attempt.certainty, attempt.phase, attempt.smtp?.code ?? attempt.smtp?.enhanced]
    .filter((word) => word !== null && word !== undefined)
    .join(' ');

const seconds = ({ started_at, ended_at }: ShownAttempt): number =>
  (Date.parse(ended_at) - Date.parse(started_at)) / 1_000;

/**
 * Misbehaving mail servers. Mail to all of them is sent at once; each test reads the outcome from the API and from what
 * the servers saw.
 */
describe('delivery to bad peers', () => {
  const fixture = new PeerFixture({ network: 1, zone: 'bad-peers.test' });

  beforeAll(() => fixture.open());
  afterAll(() => fixture.stop());

  describe('silence', () => {
    it.each(
      (
        [
          ['connect', 'deaf'],
          ['greeting', { on: { banner: 'silence' } }],
          ['ehlo', { on: { ehlo: 'silence' } }],
          ['mail', { on: { mail: 'silence' } }],
          ['rcpt', { on: { rcpt: 'silence' } }],
          ['data', { on: { data: 'silence' } }],
        ] as const
      ).map(([phase, host]) => ({
        phase,
        alone: fixture.mail(fixture.peer(host)),
        first: fixture.mail(fixture.peer(host, HONEST)),
      })),
    )('in phase $phase ends after its limit, and the next host takes the mail', async ({ phase, alone, first }) => {
      const attempt = await alone.attempt();
      expect(brief(attempt)).toBe(`deferred not_sent ${phase} ${phase === 'connect' ? '4.4.1' : '4.4.2'}`);
      expect(attempt.smtp?.text).toContain(`no answer within ${PHASE_SECONDS}000 ms`);
      expect(seconds(attempt)).toBeGreaterThan(0.95 * PHASE_SECONDS);
      expect(attempt.earlier).toEqual([]);
      expect(await first.ended()).toMatchObject([{ status: 'delivered', attempts: 1 }]);
      expect(first.dots().map(({ host }) => host)).toEqual([first.peer.hosts[1]]);
      expect(await first.attempt()).toMatchObject({
        smtp: { ip: first.peer.hosts[1] },
        earlier: [
          { phase, ip: first.peer.hosts[0], text: expect.stringContaining(`no answer within ${PHASE_SECONDS}000 ms`) },
        ],
      });
    });

    const mute: PeerHost = { on: { banner: 'silence' } };
    const sent = fixture.mail(fixture.peer(mute, mute, mute, HONEST));
    it('of two hosts ends the attempt; the others have their turn in the next', async () => {
      const attempt = await sent.attempt();
      expect(brief(attempt)).toBe('deferred not_sent greeting 4.4.2');
      expect([...attempt.earlier, attempt.smtp].map((host) => host?.ip)).toEqual(sent.peer.hosts.slice(0, 2));
      expect(await sent.ended()).toMatchObject([{ status: 'delivered', attempts: 2 }]);
      expect(sent.peer.hosts.map((host) => fixture.connections(host))).toEqual([1, 1, 1, 1]);
    });
  });

  describe('drips', () => {
    /** A reply is complete in less than an eighth of its time limit, so that a late one does not count as silence. */
    const everyMs = 30;
    const slowly: MxAction = { drip: '250 ok', everyMs };
    const patient = { on: { banner: { drip: '220 ok', everyMs }, ehlo: slowly, mail: slowly, rcpt: slowly } };
    const dripping = fixture.mail(
      fixture.peer(patient),
      Array.from({ length: 40 }, (_, i) => `n${i}`),
    );
    const reading = fixture.mail(fixture.peer({ on: { content: 'silence' } }), ['one'], BIG);

    it('of replies end with the limit of the whole attempt', async () => {
      const attempt = await dripping.attempt();
      expect(attempt).toMatchObject({ outcome: 'deferred', certainty: 'not_sent' });
      expect(attempt.smtp?.text).toContain('the time for the whole attempt is over');
    });

    it('while reading end too, and the mail counts as not sent', async () => {
      const attempt = await reading.attempt();
      expect(brief(attempt)).toBe('deferred not_sent dot 4.4.2');
    });
  });

  describe('a line that breaks', () => {
    it.each(
      (['banner', 'ehlo', 'mail', 'rcpt', 'data', 'content'] as const).flatMap((moment) =>
        (['close', 'reset'] as const).map((how) => ({
          moment,
          how,
          sent: fixture.mail(fixture.peer({ on: { [moment]: how } }, HONEST), ['one'], moment === 'content' ? BIG : {}),
          alone: fixture.mail(
            fixture.peer({ on: { [moment]: inTurn(how) } }),
            ['one'],
            moment === 'content' ? BIG : {},
          ),
        })),
      ),
    )(
      'at $moment by $how leads to the next host at once, or to the next attempt',
      async ({ moment, how, sent, alone }) => {
        expect(await sent.ended()).toMatchObject([{ status: 'delivered', attempts: 1 }]);
        expect(sent.dots().map(({ host }) => host)).toEqual([sent.peer.hosts[1]]);
        const { earlier } = await sent.attempt();
        expect(earlier.map(({ ip }) => ip)).toEqual([sent.peer.hosts[0]]);
        expect(phasesOf(moment, how)).toContain(earlier[0].phase);
        const [first, second] = await alone.attempts(2);
        expect([first.outcome, first.certainty, second.outcome]).toEqual(['deferred', 'not_sent', 'delivered']);
        expect(alone.dots()).toHaveLength(1);
      },
    );

    it.each(
      ['close', 'reset', 'silence', '421 4.3.2 closing'].map((step) => ({
        step,
        sent: fixture.mail(fixture.peer({ on: { dot: inTurn(step) } }, HONEST)),
      })),
    )('after the final dot ($step) means one copy more and no other host', async ({ step, sent }) => {
      const [first, second] = await sent.attempts(2);
      expect(brief(first)).toBe(
        step.startsWith('421') ? 'deferred answered dot 421' : 'deferred unknown_outcome dot 4.4.2',
      );
      expect(second.outcome).toBe('delivered');
      expect(sent.dots().map(({ host }) => host)).toEqual([sent.peer.hosts[0], sent.peer.hosts[0]]);
      const [one, two] = sent.dots().map((dot) => unsigned(dot.content));
      expect(one).toBe(two);
    });

    const taken = fixture.mail(fixture.peer({ on: { dot: { reply: '250 2.0.0 taken', then: 'reset' } } }));
    it('after 250 is a delivery', async () => {
      expect(await taken.ended()).toMatchObject([{ status: 'delivered', attempts: 1 }]);
      expect(taken.dots()).toHaveLength(1);
    });
  });

  describe('421', () => {
    it.each(
      (['banner', 'ehlo', 'mail', 'rcpt', 'data', 'dot'] as const).map((moment) => ({
        moment,
        sent: fixture.mail(fixture.peer({ on: { [moment]: inTurn('421 4.3.2 too much') } })),
      })),
    )('at $moment ends the connection and bounces nothing', async ({ sent }) => {
      const [first, second] = await sent.attempts(2);
      expect(brief(first)).toMatch(/^deferred answered \w+ 421$/);
      expect(second.outcome).toBe('delivered');
      expect(await sent.ended()).toMatchObject([{ status: 'delivered', attempts: 2 }]);
      expect(fixture.connections(sent.peer.hosts[0])).toBe(2);
    });

    const peer = fixture.peer({ on: { idle: '421 4.3.2 idle for too long' } });
    const before = fixture.mail(peer);
    it('on an idle line costs the next mail nothing', async () => {
      await before.ended();
      const after = await fixture.mail(peer).send();
      expect(await after.ended()).toMatchObject([{ status: 'delivered', attempts: 1 }]);
      expect(fixture.connections(peer.hosts[0])).toBe(2);
    });
  });

  describe('refusals', () => {
    const grey = fixture.mail(fixture.peer({ on: { rcpt: inTurn('451 4.7.1 greylisted') } }));
    it('by greylisting are followed by a second attempt', async () => {
      expect((await grey.attempts(2)).map(brief)).toEqual(['deferred answered rcpt 451', 'delivered 250']);
    });

    const unsure = fixture.mail(fixture.peer({ on: { rcpt: '450 5.1.2 domain not found' } }));
    it('that are temporary stay so, whatever enhanced code stands beside them', async () => {
      const said = (await unsure.attempts(3)).map(brief);
      expect(said).toEqual(Array(3).fill('deferred answered rcpt 450'));
    });

    it.each(DIALOGUES.map((row) => ({ ...row, sent: fixture.mail(fixture.peer(row.host)) })))(
      'of the kind "$name": $expected',
      async ({ sent, expected, means }) => {
        expect(brief(await sent.attempt())).toBe(expected);
        const told = await sent.events('email.bounced');
        expect(told.map(({ data }) => `${data.bounce_class} ${data.bounce_type}`)).toEqual(
          means === undefined ? [] : [means],
        );
      },
    );

    it.each(
      [{ banner: '554 5.7.1 go away' }, { ehlo: '550 5.7.1 go away', helo: '550 5.7.1 go away' }].map((on) => ({
        on,
        sent: fixture.mail(fixture.peer({ on }, HONEST)),
      })),
    )('before MAIL ($on) lead to the next host', async ({ sent }) => {
      expect(await sent.ended()).toMatchObject([{ status: 'delivered', attempts: 1 }]);
    });
  });

  describe('several recipients', () => {
    const three = ['one', 'two', 'three'];
    const refusing = byRecipient({ two: '550 5.1.1 no such user', three: '451 4.2.0 later' });
    const mixed = fixture.mail(fixture.peer({ on: { rcpt: refusing } }), three);
    it('have three outcomes and one transaction', async () => {
      const first = await Promise.all(three.map((local) => mixed.attempt(local)));
      expect(first.map(brief)).toEqual(['delivered 250', 'bounced rcpt 550', 'deferred answered rcpt 451']);
      expect(mixed.dots().map(({ recipients }) => recipients)).toEqual([[`one@${mixed.peer.domain}`]]);
    });

    const none = fixture.mail(fixture.peer({ on: { rcpt: refusing, data: '354 go on' } }), ['two']);
    it('of whom none is accepted are followed by nothing but the dot', async () => {
      expect(await none.ended()).toMatchObject([{ status: 'bounced', attempts: 1 }]);
      expect(none.dots()).toMatchObject([{ content: Buffer.alloc(0), recipients: [] }]);
    });

    it.each(
      [
        '452 4.5.3 too many recipients',
        '452 too many recipients',
        '552 5.5.3 too many recipients',
        '552 too many recipients',
      ].flatMap((step) =>
        [['PIPELINING'], []].map((extensions) => ({
          step,
          extensions,
          sent: fixture.mail(
            fixture.peer({ extensions, on: { rcpt: ({ accepted }) => (accepted.length < 3 ? undefined : step) } }),
            Array.from({ length: 10 }, (_, i) => `n${i}`),
          ),
        })),
      ),
    )('beyond the limit of a server ($step, $extensions) go in further transactions', async ({ sent }) => {
      for (const recipient of await sent.ended()) expect(recipient).toMatchObject({ status: 'delivered', attempts: 1 });
      expect(sent.dots().map(({ recipients }) => recipients.length)).toEqual([3, 3, 3, 1]);
    });
  });

  const stutter = byRecipient({ two: '550 5.1.1 no such user' });
  describe('pipelining', () => {
    it.each(
      (['bulk', 'single'] as const).map((pace) => ({
        pace,
        sent: fixture.mail(fixture.peer({ pace, on: { rcpt: stutter } }), ['one', 'two', 'three']),
      })),
    )('survives replies that come in $pace', async ({ sent }) => {
      expect((await sent.ended()).map(({ status }) => status)).toEqual(['delivered', 'bounced', 'delivered']);
      expect(sent.dots()).toHaveLength(1);
    });
  });

  it.each(
    [['PIPELINING'], []].map((extensions) => ({
      extensions,
      sent: fixture.mail(fixture.peer({ extensions, on: { mail: '250 fine\r\n250 fine', rcpt: stutter } }), [
        'one',
        'two',
      ]),
    })),
  )('replies that are out of step ($extensions) bounce nobody', async ({ sent }) => {
    for (const local of ['one', 'two']) expect((await sent.attempt(local)).outcome).toBe('deferred');
    expect(sent.dots()).toEqual([]);
  });

  brokenTls(fixture);
  poorServers(fixture);
  otherServers(fixture);

  const busy = fixture.peer({});
  it('connections are used again', async () => {
    const sent = await Promise.all(Array.from({ length: 60 }, () => fixture.mail(busy).send()));
    for (const one of sent) expect((await one.ended())[0].status).toBe('delivered');
    expect(fixture.dots(...busy.hosts)).toHaveLength(60);
    expect(fixture.connections(...busy.hosts)).toBeLessThanOrEqual(20);
  });

  describe('4xx for ever', () => {
    const forever = fixture.mail(fixture.peer({ on: { rcpt: '451 4.3.0 not today' } }));
    it('ends with the lifetime, in exactly one final event', async () => {
      const [{ status, attempts }] = await forever.ended();
      expect(status).toBe('failed');
      expect(attempts).toBeGreaterThan(2);
      const tries = await forever.attempts(attempts);
      for (const [i, later] of tries.slice(1, -1).entries()) {
        const waited = Date.parse(later.started_at) - Date.parse(tries[i].ended_at);
        expect(waited).toBeGreaterThanOrEqual(i === 0 ? 995 : 1_995);
      }
      const told = await forever.events('email.failed', 'email.bounced', 'email.delivered');
      const final = told.filter(({ data }) => data.temporary !== true);
      expect(final).toMatchObject([{ type: 'email.failed', data: { enhanced_code: '5.4.7' } }]);
    });
  });

  describe('endless replies', () => {
    const flooding = (['banner', 'ehlo', 'mail', 'rcpt', 'dot'] as const).flatMap((moment) =>
      [
        { flood: '2', bytes: 200_000_000 },
        { flood: '250-more\r\n', bytes: 10_000_000 },
      ].map((step) => ({ moment, peer: fixture.peer({ on: { [moment]: step } }) })),
    );

    it('are cut and defer', async () => {
      const sent = await Promise.all(flooding.map(({ peer }) => fixture.mail(peer).send()));
      const attempts = await Promise.all(sent.map((one) => one.attempt()));
      for (const [i, { moment }] of flooding.entries()) {
        expect(attempts[i]).toMatchObject({
          outcome: 'deferred',
          certainty: moment === 'dot' ? 'unknown_outcome' : 'not_sent',
          smtp: { text: expect.stringContaining('the reply is longer than 64 kB') as string },
        });
      }
      const hosts = flooding.flatMap(({ peer }) => peer.hosts);
      expect(hosts.filter((host) => fixture.server(host).floods > 0)).toEqual([]);
    });
  });
});

/** What is replied to RCPT, by local part. */
const byRecipient =
  (replies: Record<string, string>): MxStep =>
  ({ line }) =>
    replies[/<(.*)@/.exec(line)?.[1] ?? ''];

/** The signature contains the time of the attempt; everything else is identical. */
function unsigned(content: Buffer): string {
  return content.toString('latin1').replace(/^DKIM-Signature:.*\r\n(?:[ \t].*\r\n)*/gm, '');
}
