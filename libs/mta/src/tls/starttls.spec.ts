import { afterEach, describe, expect, it } from 'vitest';
import { brief, CourierFixture, UNLIMITED } from '../../../../test/support/delivery/courier-fixture.js';
import { Recorder } from '../../../../test/support/mail-servers/recorder.js';
import { selfSignedCertificate } from '../../../../test/support/fixtures/self-signed-certificate.js';
import type { MxScript } from '../../../../test/support/mail-servers/scripted-mx.js';
import { until } from '../../../../test/support/timing/until.js';
import type { CourierOptions } from '../index.js';

const good = selfSignedCertificate('mx1.to.test');

let fixture: CourierFixture;

async function serve(script: MxScript, overrides: Partial<CourierOptions> = {}) {
  fixture = await CourierFixture.start(overrides);
  const [mx] = await fixture.serve(script);
  return mx;
}

afterEach(() => fixture.close());

describe('opportunistic TLS', () => {
  it('is used when offered: TLS 1.3, the MX name as SNI, EHLO again', async () => {
    const mx = await serve({ tls: good });
    const [outcome] = await fixture.deliver();
    expect(outcome).toMatchObject({ kind: 'delivered', remote: { tls: 'TLSv1.3' } });
    expect(mx.mails[0].tls).toBe(true);
    expect(mx.sessions[0].serverName).toBe('mx1.to.test');
    expect(mx.sessions[0].commands.slice(0, 3)).toEqual(['EHLO out.from.test', 'STARTTLS', 'EHLO out.from.test']);
  });

  it.each([
    ['expired', selfSignedCertificate('mx1.to.test', true)],
    ['for another name', selfSignedCertificate('elsewhere.test')],
  ])('accepts a certificate that is %s', async (_, certificate) => {
    await serve({ tls: certificate });
    expect((await fixture.deliver())[0]).toMatchObject({ kind: 'delivered', remote: { tls: 'TLSv1.3' } });
  });

  it('accepts TLS 1.2', async () => {
    await serve({ tls: { ...good, maxVersion: 'TLSv1.2' } });
    expect((await fixture.deliver())[0]).toMatchObject({ kind: 'delivered', remote: { tls: 'TLSv1.2' } });
  });

  it('transfers a large message unchanged', async () => {
    const mx = await serve({ tls: good });
    const content = Buffer.from(`Subject: big\r\n\r\n${'.0123456789abcdef\r\n'.repeat(100_000)}`);
    await fixture.send({ ...fixture.job(), content: () => Promise.resolve(content) });
    expect(mx.mails[0].content.equals(content)).toBe(true);
  });

  it.each<[string, MxScript]>([
    ['is not offered', {}],
    ['is refused', { tls: good, on: { starttls: '454 4.7.0 not now' } }],
    ['is older than 1.2', { tls: { ...good, minVersion: 'TLSv1', maxVersion: 'TLSv1.1' } }],
    ['fails during the handshake', { tls: good, on: { starttls: { reply: '220 go', then: 'close' } } }],
    ['hangs', { extensions: ['STARTTLS'], on: { starttls: '220 go' } }],
    ['gets a malformed reply', { extensions: ['STARTTLS'], on: { starttls: { raw: '220 go\r\n' }, ehlo: undefined } }],
  ])('falls back to plain text when it %s', async (_, script) => {
    const mx = await serve(script, { timeouts: { ...UNLIMITED, ehlo: 1_000 } });
    const [outcome] = await fixture.deliver();
    expect(outcome).toMatchObject({ kind: 'delivered', remote: { tls: null } });
    expect(mx.accepted[0].tls).toBe(false);
  });

  it('is not tried again on every connection after a failure, and the fall-back is logged', async () => {
    const mx = await serve({ tls: good, on: { starttls: { reply: '220 go', then: 'close' } } });
    await fixture.deliver();
    mx.dropConnections();
    await fixture.deliver();
    expect(mx.count('starttls')).toBe(1);
    expect(fixture.events).toMatchObject([{ event: 'smtp.tls_broken', mx: 'mx1.to.test', ip: '127.0.0.1' }]);
  });

  it('ignores bytes injected in plain text after the 220', async () => {
    const injected = '220 go\r\n250-injected\r\n250-SIZE 1\r\n250 PIPELINING\r\n';
    const mx = await serve({ tls: good, on: { starttls: { raw: injected } } });
    const [outcome] = await fixture.deliver();
    expect(outcome).toMatchObject({ kind: 'delivered', remote: { tls: 'TLSv1.3' } });
    expect(mx.accepted[0].parameters).toMatch(/^SIZE=/);
  });

  it('that breaks after the dot is an unknown outcome', async () => {
    await serve({ tls: good, on: { dot: 'close' } });
    expect(brief((await fixture.deliver())[0])).toBe('deferred unknown_outcome dot');
  });
});

/** Over TLS, Node.js calls back for the last octet of a message one event-loop turn after it was sent. */
describe('a server whose TLS replies arrive before our write callback', () => {
  const BUSY_MS = 15;
  let busy: NodeJS.Timeout;
  let mx: Recorder;
  afterEach(async () => {
    clearInterval(busy);
    await mx.close();
  });

  const sent = async (dot: NonNullable<Parameters<typeof Recorder.start>[0]>['dot'], octets: number) => {
    mx = await Recorder.start({ tls: good, dot });
    fixture = await CourierFixture.start(
      { mxPort: mx.ports.smtp },
      {
        'to.test': { MX: [{ preference: 1, exchange: 'mx1.to.test' }] },
        'mx1.to.test': { A: ['127.0.0.1'] },
      },
    );
    busy = setInterval(() => {
      for (const end = performance.now() + BUSY_MS; performance.now() < end;);
    }, 1);
    const content = Buffer.from(`Subject: big\r\n\r\n${'0123456789abcd\r\n'.repeat(octets / 16)}`);
    const outcomes = await fixture.send({ ...fixture.job(), content: () => Promise.resolve(content) });
    if (dot !== 'reset before it')
      await until(() => Promise.resolve(mx.arrivals().length > 0), { what: 'the end of the mail at its server' });
    return [...outcomes.map(brief), mx.arrivals().length];
  };

  it.each([1_000, 300_000, 2_000_000])('has accepted a message of %i octets when it replies 250', async (octets) => {
    expect(await sent('answer', octets)).toEqual(['delivered', 1]);
  });

  it('has accepted the message even if it closes with its reply', async () => {
    expect(await sent('answer and close', 300_000)).toEqual(['delivered', 1]);
  });

  it('defers the message when its last reply is a 421', async () => {
    expect(await sent('say goodbye', 300_000)).toEqual(['deferred answered dot 421', 1]);
  });

  it('has not accepted the message when it resets the connection before the dot', async () => {
    expect(await sent('reset before it', 1_000)).toEqual([expect.stringMatching(/^deferred not_sent/), 0]);
  });

  it('may have accepted the message when it closes without a reply', async () => {
    expect(await sent('close', 300_000)).toEqual(['deferred unknown_outcome dot', 1]);
  });
});
