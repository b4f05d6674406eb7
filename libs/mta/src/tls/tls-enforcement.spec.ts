import { afterEach, describe, expect, it } from 'vitest';
import { brief, CourierFixture, UNLIMITED } from '../../../../test/support/delivery/courier-fixture.js';
import type { MxScript } from '../../../../test/support/mail-servers/scripted-mx.js';
import { selfSignedCertificate } from '../../../../test/support/fixtures/self-signed-certificate.js';
import type { CourierOptions, StsFetchResult } from '../index.js';

const certificate = selfSignedCertificate('mx1.to.test');
const SECURE: MxScript = { tls: certificate };
const BREAKING: MxScript = { tls: certificate, on: { starttls: { reply: '220 go', then: 'close' } } };

let fixture: CourierFixture;

async function serve(scripts: MxScript[], overrides: Partial<CourierOptions> = {}) {
  fixture = await CourierFixture.start({
    timeouts: { ...UNLIMITED, ehlo: 1_000 },
    ...overrides,
  });
  return fixture.serve(...scripts);
}

/** MTA-STS for `to.test`, as if fetched. */
function sts(mode: string, ...mx: string[]): Partial<CourierOptions> {
  const lines = ['version: STSv1', `mode: ${mode}`, ...mx.map((one) => `mx: ${one}`), 'max_age: 60'];
  return withSts({ kind: 'fetched', text: lines.join('\n') });
}

function withSts(answer: StsFetchResult): Partial<CourierOptions> {
  return {
    sts: {
      store: { find: () => Promise.resolve(null), keep: () => Promise.resolve() },
      fetch: () => Promise.resolve(answer),
    },
  };
}

const sendEnforced = async () => (await fixture.send({ ...fixture.job(), tls: 'enforced' }))[0];
const sendOpportunistic = async () => (await fixture.deliver())[0];
const kinds = () => fixture.tlsResults.map(({ policyType, mx, resultType }) => [policyType, mx, resultType]);

afterEach(() => fixture.close());

describe('a connection', () => {
  it('without a verified certificate is not used for enforced messages, and is kept for others', async () => {
    const [mx] = await serve([SECURE]);
    expect(brief(await sendOpportunistic())).toBe('delivered');
    expect(await sendEnforced()).toMatchObject({
      kind: 'deferred',
      certainty: 'not_sent',
      class: 'transport_policy',
      phase: 'tls',
      reply: { enhanced: '4.7.5' },
      remote: { policy: 'enforced', tls: 'TLSv1.3', verified: false },
    });
    // The receiver required no certificate, so its report has no failure.
    expect(fixture.tlsResults.map(({ resultType }) => resultType)).toEqual([null, null]);
    expect(brief(await sendOpportunistic())).toBe('delivered');
    expect(mx.sessions).toHaveLength(2);
    expect(mx.mails.map(({ session }) => session)).toEqual([1, 1]);
    expect(mx.sessions[1].commands).toEqual(['EHLO out.from.test', 'STARTTLS']);
  });

  it('in plain text is not used for enforced messages', async () => {
    const [mx] = await serve([{}]);
    await sendOpportunistic();
    expect(await sendEnforced()).toMatchObject({
      reply: {
        enhanced: '4.7.10',
        text: expect.stringMatching(
          /^mx1\.to\.test \(127\.0\.0\.1\): it offers no STARTTLS; the domain of the/,
        ) as string,
      },
      remote: { tls: null, verified: null },
    });
    expect(mx.mails).toHaveLength(1);
  });

  it('on which STARTTLS is refused is not used for enforced messages', async () => {
    const [mx] = await serve([{ tls: certificate, on: { starttls: '454 4.7.0 not now' } }]);
    expect(await sendEnforced()).toMatchObject({
      reply: { enhanced: '4.7.10', text: expect.stringMatching(/it refuses STARTTLS/) as string },
    });
    expect(brief(await sendOpportunistic())).toBe('delivered');
    expect(mx.mails).toHaveLength(1);
  });
});

describe('a failed TLS handshake', () => {
  it('leads to the next host first', async () => {
    const [first, second] = await serve([BREAKING, { tls: selfSignedCertificate('mx2.to.test') }]);
    expect(await sendOpportunistic()).toMatchObject({
      kind: 'delivered',
      remote: { mx: 'mx2.to.test', tls: 'TLSv1.3' },
    });
    expect(brief(await sendOpportunistic())).toBe('delivered');
    expect([first.mails.length, second.mails.length]).toEqual([0, 2]);
    expect(first.sessions).toHaveLength(1);
  });

  it('leads to plain text in the same attempt when no host is left, the preferred host first', async () => {
    const [first, second] = await serve([BREAKING, BREAKING]);
    expect(await sendOpportunistic()).toMatchObject({ kind: 'delivered', remote: { mx: 'mx1.to.test', tls: null } });
    expect([first.count('starttls'), second.count('starttls')]).toEqual([1, 1]);
    expect([first.mails.length, second.mails.length]).toEqual([1, 0]);
  });

  it('that hangs on two hosts does not end the attempt', async () => {
    const hanging: MxScript = { extensions: ['STARTTLS'], on: { starttls: '220 go' } };
    await serve([hanging, hanging], { timeouts: { ...UNLIMITED, ehlo: 300 } });
    expect(await sendOpportunistic()).toMatchObject({ kind: 'delivered', remote: { tls: null } });
  });

  it('is assumed after a malformed reply to STARTTLS', async () => {
    const [mx] = await serve([{ tls: certificate, on: { starttls: 'what?' } }]);
    expect(await sendOpportunistic()).toMatchObject({ kind: 'delivered', remote: { tls: null } });
    expect(mx.sessions).toHaveLength(2);
  });

  it('is not assumed after a 421, which defers the message', async () => {
    const [mx] = await serve([{ tls: certificate, on: { starttls: '421 4.3.2 closing' } }]);
    expect(brief(await sendOpportunistic())).toBe('deferred answered tls 421');
    await sendOpportunistic();
    expect(mx.count('starttls')).toBe(2);
  });

  it('never sends enforced messages in plain text, now or later', async () => {
    const [mx] = await serve([BREAKING]);
    await sendOpportunistic();
    expect(await sendEnforced()).toMatchObject({
      kind: 'deferred',
      reply: { enhanced: '4.7.5', text: expect.stringMatching(/handshake failed/) as string },
    });
    expect(mx.mails).toHaveLength(1);
    expect(mx.count('starttls')).toBe(2);
  });
});

describe('a smarthost', () => {
  it('on this machine accepts enforced messages in plain text, because nobody can eavesdrop', async () => {
    const [local] = await serve([{}]);
    const over = await CourierFixture.start({ mode: 'smarthost', smarthostUrl: `smtp://127.0.0.1:${local.port}` });
    const [outcome] = await over.send({ ...over.job(), tls: 'enforced' });
    expect(brief(outcome)).toBe('delivered');
    await over.close();
  });
});

describe('the results for a TLS report', () => {
  it('are one per session, whatever the number of messages', async () => {
    await serve([SECURE]);
    await Promise.all([sendOpportunistic(), sendOpportunistic()]);
    await sendOpportunistic();
    expect(new Set(fixture.tlsResults.map((result) => JSON.stringify(result))).size).toBe(1);
    expect(fixture.tlsResults[0]).toEqual({
      policyDomain: 'to.test',
      policyType: 'no-policy-found',
      policyStrings: [],
      mxPatterns: [],
      mx: 'mx1.to.test',
      ip: '127.0.0.1',
      sourceIp: '127.0.0.1',
      success: true,
      resultType: null,
      failureReason: null,
    });
    expect(fixture.tlsResults).toHaveLength(fixture.servers[0].sessions.length);
  });

  it.each<[string, MxScript, string[]]>([
    ['no STARTTLS', {}, ['starttls-not-supported']],
    ['a failed handshake, then plain text', BREAKING, ['validation-failure', 'validation-failure']],
    ['a host that refuses the connection', { on: { banner: '554 go away' } }, []],
  ])('of %s', async (_, script, expected) => {
    await serve([script]);
    await sendOpportunistic();
    expect(fixture.tlsResults.map(({ resultType }) => resultType)).toEqual(expected);
  });

  it.each<[string, Partial<CourierOptions>, string, string | null]>([
    [
      'in mode testing whose MX has no valid certificate',
      sts('testing', 'mx1.to.test'),
      'sts',
      'certificate-not-trusted',
    ],
    ['in mode testing that does not name the MX', sts('testing', 'other.test'), 'sts', 'validation-failure'],
    ['that could not be fetched', withSts({ kind: 'failed', reason: 'timeout' }), 'sts', 'sts-policy-fetch-error'],
    ['behind an invalid certificate', withSts({ kind: 'certificate', reason: 'expired' }), 'sts', 'sts-webpki-invalid'],
    ['that is malformed', withSts({ kind: 'fetched', text: '' }), 'sts', 'sts-policy-invalid'],
    ['of mode none', sts('none'), 'no-policy-found', null],
  ])('of a policy %s, while the message is delivered', async (_, options, type, fault) => {
    await serve([SECURE], options);
    fixture.dns.set('_mta-sts.to.test', { TXT: ['v=STSv1; id=1;'] });
    expect(brief(await sendOpportunistic())).toBe('delivered');
    expect(kinds()).toEqual([[type, 'mx1.to.test', fault]]);
  });

  it('of an enforced policy: its host, and hosts that it does not name', async () => {
    await serve([SECURE, {}], sts('enforce', 'mx1.to.test'));
    fixture.dns.set('_mta-sts.to.test', { TXT: ['v=STSv1; id=1;'] });
    expect(await sendOpportunistic()).toMatchObject({ kind: 'deferred', remote: { mx: 'mx1.to.test', policy: 'sts' } });
    expect(kinds()).toEqual([['sts', 'mx1.to.test', 'certificate-not-trusted']]);
    expect(fixture.tlsResults[0]).toMatchObject({
      policyStrings: ['version: STSv1', 'mode: enforce', 'mx: mx1.to.test', 'max_age: 60'],
      mxPatterns: ['mx1.to.test'],
    });
    expect(fixture.servers.flatMap(({ mails }) => mails)).toEqual([]);
  });

  it('of an enforced policy that names no MX at all', async () => {
    await serve([SECURE, SECURE], sts('enforce', 'other.test'));
    fixture.dns.set('_mta-sts.to.test', { TXT: ['v=STSv1; id=1;'] });
    const outcome = await sendOpportunistic();
    expect(outcome).toMatchObject({ kind: 'deferred', class: 'transport_policy', remote: { policy: 'sts', mx: null } });
    expect(kinds()).toEqual(
      expect.arrayContaining([
        ['sts', 'mx1.to.test', 'validation-failure'],
        ['sts', 'mx2.to.test', 'validation-failure'],
      ]),
    );
    expect(fixture.tlsResults).toHaveLength(2);
    expect(fixture.servers.flatMap(({ sessions }) => sessions)).toEqual([]);
  });
});
