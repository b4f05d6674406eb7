import { afterEach, describe, expect, it } from 'vitest';
import { brief, CourierFixture, UNLIMITED } from '../../../../test/support/courier-fixture.js';
import type { MxScript } from '../../../../test/support/scripted-mx.js';
import { selfSignedCertificate } from '../../../../test/support/self-signed-certificate.js';
import type { CourierOptions, StsAnswer, TlsResult } from '../index.js';

const certificate = selfSignedCertificate('mx1.to.test');
const SECURE: MxScript = { tls: certificate };
const BREAKING: MxScript = { tls: certificate, on: { starttls: { reply: '220 go', then: 'close' } } };

let fixture: CourierFixture;
let results: TlsResult[];

async function serve(scripts: MxScript[], overrides: Partial<CourierOptions> = {}) {
  results = [];
  fixture = await CourierFixture.start({
    timeouts: { ...UNLIMITED, ehlo: 1_000 },
    onTls: (result) => results.push(result),
    ...overrides,
  });
  return fixture.serve(...scripts);
}

/** MTA-STS for `to.test`, as if fetched. */
function sts(mode: string, ...mx: string[]): Partial<CourierOptions> {
  const lines = ['version: STSv1', `mode: ${mode}`, ...mx.map((one) => `mx: ${one}`), 'max_age: 60'];
  return withSts({ kind: 'fetched', text: lines.join('\n') });
}

function withSts(answer: StsAnswer): Partial<CourierOptions> {
  return {
    sts: {
      store: { find: () => Promise.resolve(null), keep: () => Promise.resolve() },
      fetch: () => Promise.resolve(answer),
    },
  };
}

const enforcedMail = async () => (await fixture.courier.deliver({ ...fixture.job(), tls: 'enforced' }))[0];
const openMail = async () => (await fixture.deliver())[0];
const kinds = () => results.map(({ policyType, mx, resultType }) => [policyType, mx, resultType]);

afterEach(() => fixture.close());

describe('a connection', () => {
  it('that proved nothing is not used for a mail that needs proof, and is kept for those that do not', async () => {
    const [mx] = await serve([SECURE]);
    expect(brief(await openMail())).toBe('delivered');
    expect(await enforcedMail()).toMatchObject({
      kind: 'deferred',
      certainty: 'not_sent',
      class: 'transport_policy',
      phase: 'tls',
      reply: { enhanced: '4.7.5' },
      remote: { policy: 'enforced', tls: 'TLSv1.3', verified: false },
    });
    // The receiver asked for no certificate, so his report has no failure.
    expect(results.map(({ resultType }) => resultType)).toEqual([null, null]);
    expect(brief(await openMail())).toBe('delivered');
    expect(mx.sessions).toHaveLength(2);
    expect(mx.mails.map(({ session }) => session)).toEqual([1, 1]);
    expect(mx.sessions[1].commands).toEqual(['EHLO out.from.test', 'STARTTLS']);
  });

  it('in the clear is not used for a mail that needs proof', async () => {
    const [mx] = await serve([{}]);
    await openMail();
    expect(await enforcedMail()).toMatchObject({
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

  it('on which STARTTLS is refused is none for a mail that needs proof', async () => {
    const [mx] = await serve([{ tls: certificate, on: { starttls: '454 4.7.0 not now' } }]);
    expect(await enforcedMail()).toMatchObject({
      reply: { enhanced: '4.7.10', text: expect.stringMatching(/it refuses STARTTLS/) as string },
    });
    expect(brief(await openMail())).toBe('delivered');
    expect(mx.mails).toHaveLength(1);
  });
});

describe('a broken TLS', () => {
  it('leads to the next host first', async () => {
    const [first, second] = await serve([BREAKING, { tls: selfSignedCertificate('mx2.to.test') }]);
    expect(await openMail()).toMatchObject({ kind: 'delivered', remote: { mx: 'mx2.to.test', tls: 'TLSv1.3' } });
    expect(brief(await openMail())).toBe('delivered');
    expect([first.mails.length, second.mails.length]).toEqual([0, 2]);
    expect(first.sessions).toHaveLength(1);
  });

  it('leads to plain text in the same attempt when no host is left, the best one first', async () => {
    const [first, second] = await serve([BREAKING, BREAKING]);
    expect(await openMail()).toMatchObject({ kind: 'delivered', remote: { mx: 'mx1.to.test', tls: null } });
    expect([first.count('starttls'), second.count('starttls')]).toEqual([1, 1]);
    expect([first.mails.length, second.mails.length]).toEqual([1, 0]);
  });

  it('on two hosts that hang costs no mail its attempt', async () => {
    const hanging: MxScript = { extensions: ['STARTTLS'], on: { starttls: '220 go' } };
    await serve([hanging, hanging], { timeouts: { ...UNLIMITED, ehlo: 300 } });
    expect(await openMail()).toMatchObject({ kind: 'delivered', remote: { tls: null } });
  });

  it('that speaks garbage instead of 220 counts as broken', async () => {
    const [mx] = await serve([{ tls: certificate, on: { starttls: 'what?' } }]);
    expect(await openMail()).toMatchObject({ kind: 'delivered', remote: { tls: null } });
    expect(mx.sessions).toHaveLength(2);
  });

  it('that says 421 is a host that closes, and is asked again next time', async () => {
    const [mx] = await serve([{ tls: certificate, on: { starttls: '421 4.3.2 closing' } }]);
    expect(brief(await openMail())).toBe('deferred answered tls 421');
    await openMail();
    expect(mx.count('starttls')).toBe(2);
  });

  it('does not send enforced mail to plain text, now or later', async () => {
    const [mx] = await serve([BREAKING]);
    await openMail();
    expect(await enforcedMail()).toMatchObject({
      kind: 'deferred',
      reply: { enhanced: '4.7.5', text: expect.stringMatching(/handshake failed/) as string },
    });
    expect(mx.mails).toHaveLength(1);
    expect(mx.count('starttls')).toBe(2);
  });
});

describe('a smarthost', () => {
  it('on this machine takes enforced mail in the clear: nobody listens there', async () => {
    const [local] = await serve([{}]);
    const over = await CourierFixture.start({ mode: 'smarthost', smarthostUrl: `smtp://127.0.0.1:${local.port}` });
    const [outcome] = await over.courier.deliver({ ...over.job(), tls: 'enforced' });
    expect(brief(outcome)).toBe('delivered');
    await over.close();
  });
});

describe('what a TLS report hears', () => {
  it('is one result per session, however many mails', async () => {
    await serve([SECURE]);
    await Promise.all([openMail(), openMail()]);
    await openMail();
    expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1);
    expect(results[0]).toEqual({
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
    expect(results).toHaveLength(fixture.servers[0].sessions.length);
  });

  it.each<[string, MxScript, string[]]>([
    ['no STARTTLS', {}, ['starttls-not-supported']],
    ['a broken handshake, then plain text', BREAKING, ['validation-failure', 'validation-failure']],
    ['a host that refuses us before', { on: { banner: '554 go away' } }, []],
  ])('of %s', async (_, script, expected) => {
    await serve([script]);
    await openMail();
    expect(results.map(({ resultType }) => resultType)).toEqual(expected);
  });

  it.each<[string, Partial<CourierOptions>, string, string | null]>([
    ['in its test whose MX has no good certificate', sts('testing', 'mx1.to.test'), 'sts', 'certificate-not-trusted'],
    ['in its test that does not name the MX', sts('testing', 'other.test'), 'sts', 'validation-failure'],
    ['that could not be fetched', withSts({ kind: 'failed', reason: 'timeout' }), 'sts', 'sts-policy-fetch-error'],
    ['behind a bad certificate', withSts({ kind: 'certificate', reason: 'expired' }), 'sts', 'sts-webpki-invalid'],
    ['that does not read', withSts({ kind: 'fetched', text: '' }), 'sts', 'sts-policy-invalid'],
    ['of mode none', sts('none'), 'no-policy-found', null],
  ])('of a policy %s, while the mail is delivered', async (_, options, type, fault) => {
    await serve([SECURE], options);
    fixture.dns.set('_mta-sts.to.test', { TXT: ['v=STSv1; id=1;'] });
    expect(brief(await openMail())).toBe('delivered');
    expect(kinds()).toEqual([[type, 'mx1.to.test', fault]]);
  });

  it('of a policy in force: what its host did, and hosts that it does not name', async () => {
    await serve([SECURE, {}], sts('enforce', 'mx1.to.test'));
    fixture.dns.set('_mta-sts.to.test', { TXT: ['v=STSv1; id=1;'] });
    expect(await openMail()).toMatchObject({ kind: 'deferred', remote: { mx: 'mx1.to.test', policy: 'sts' } });
    expect(kinds()).toEqual([['sts', 'mx1.to.test', 'certificate-not-trusted']]);
    expect(results[0]).toMatchObject({
      policyStrings: ['version: STSv1', 'mode: enforce', 'mx: mx1.to.test', 'max_age: 60'],
      mxPatterns: ['mx1.to.test'],
    });
    expect(fixture.servers.flatMap(({ mails }) => mails)).toEqual([]);
  });

  it('of a policy in force that names no MX at all', async () => {
    await serve([SECURE, SECURE], sts('enforce', 'other.test'));
    fixture.dns.set('_mta-sts.to.test', { TXT: ['v=STSv1; id=1;'] });
    const outcome = await openMail();
    expect(outcome).toMatchObject({ kind: 'deferred', class: 'transport_policy', remote: { policy: 'sts', mx: null } });
    expect(kinds()).toEqual(
      expect.arrayContaining([
        ['sts', 'mx1.to.test', 'validation-failure'],
        ['sts', 'mx2.to.test', 'validation-failure'],
      ]),
    );
    expect(results).toHaveLength(2);
    expect(fixture.servers.flatMap(({ sessions }) => sessions)).toEqual([]);
  });
});
