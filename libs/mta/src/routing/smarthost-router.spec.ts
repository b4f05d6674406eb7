import { Resolver } from '#libs/dns';
import { afterEach, describe, expect, it } from 'vitest';
import { brief, CourierFixture } from '../../../../test/support/delivery/courier-fixture.js';
import { selfSignedCertificate } from '../../../../test/support/fixtures/self-signed-certificate.js';
import { ScriptedMx } from '../../../../test/support/mail-servers/scripted-mx.js';
import type { MxScript } from '../../../../test/support/mail-servers/scripted-mx.js';
import { createCourier } from '../index.js';
import { SmarthostRouter } from './smarthost-router.js';

const certificate = selfSignedCertificate('relay.test');
const login = { user: 'me@from.test', password: 'p:a/s s' };
const encoded = `${encodeURIComponent(login.user)}:${encodeURIComponent(login.password)}@`;

let fixture: CourierFixture;

async function serve(script: MxScript, url: (port: number) => string): Promise<ScriptedMx> {
  const relay = await ScriptedMx.start(script);
  const options = { mode: 'smarthost', smarthostUrl: url(relay.port), allowPrivateMx: false } as const;
  fixture = await CourierFixture.start(options, { 'relay.test': { A: ['127.0.0.1'] } });
  fixture.servers.push(relay);
  return relay;
}

afterEach(() => fixture.close());

describe('a smarthost', () => {
  it('receives the messages of every domain, may be private, and needs no MX', async () => {
    const relay = await serve({}, (port) => `smtp://127.0.0.1:${port}`);
    const outcomes = await Promise.all([fixture.deliver('one@a.test'), fixture.deliver('one@b.test')]);
    expect(outcomes.flat().map(brief)).toEqual(['delivered', 'delivered']);
    expect(relay.mails.map((mail) => mail.recipients[0]).sort()).toEqual(['one@a.test', 'one@b.test']);
    expect(fixture.dns.questions).toEqual([]);
  });

  it('is looked up at the configured servers only', async () => {
    await serve({}, (port) => `smtp://relay.test:${port}`);
    expect((await fixture.deliver())[0]).toMatchObject({
      kind: 'delivered',
      remote: { mx: 'relay.test', ip: '127.0.0.1' },
    });
    expect(fixture.dns.questions.map((question) => question.type).sort()).toEqual(['A', 'AAAA']);
  });

  it.each(['PLAIN LOGIN', 'LOGIN'])('is logged in to with AUTH %s, after STARTTLS', async (mechanisms) => {
    const script = { tls: certificate, login: { ...login, mechanisms } };
    const relay = await serve(script, (port) => `smtp://${encoded}127.0.0.1:${port}`);
    expect(brief((await fixture.deliver())[0])).toBe('delivered');
    expect(relay.mails[0]).toMatchObject({ login: login.user, tls: true });
  });

  it('is reached by implicit TLS with smtps', async () => {
    const script = { tls: { ...certificate, implicit: true }, login };
    const relay = await serve(script, (port) => `smtps://${encoded}relay.test:${port}`);
    expect((await fixture.deliver())[0]).toMatchObject({ kind: 'delivered', remote: { tls: 'TLSv1.3' } });
    expect(relay.sessions[0].serverName).toBe('relay.test');
  });

  it('that refuses our password defers the message, because the recipient is not at fault', async () => {
    await serve({ login: { user: 'other', password: 'other' } }, (port) => `smtp://${encoded}127.0.0.1:${port}`);
    expect(brief((await fixture.deliver())[0])).toBe('deferred answered auth 535');
  });

  it('that requires a login without one in the settings defers the message', async () => {
    await serve({ on: { mail: '530 5.7.0 authentication required' } }, (port) => `smtp://127.0.0.1:${port}`);
    expect(brief((await fixture.deliver())[0])).toBe('deferred answered mail 530');
  });

  it.each([
    ['rcpt', '525 5.7.13 User account disabled'],
    ['mail', '525 5.7.13 User account disabled'],
    ['rcpt', '550 5.7.13 Account blocked for lack of payment'],
    ['rcpt', '550 5.7.1 Account suspended'],
    ['dot', '550 Account disabled'],
    ['rcpt', '550 5.2.1 Account disabled'],
    ['rcpt', '550 5.7.1 Votre compte est suspendu'],
  ] as const)('that answers %s with "%s" defers, because the account may be ours', async (moment, line) => {
    await serve({ on: { [moment]: line } }, (port) => `smtp://127.0.0.1:${port}`);
    const [outcome] = await fixture.deliver();
    expect(brief(outcome)).toBe(`deferred answered ${moment} ${line.slice(0, 3)}`);
    expect(outcome).toMatchObject({ class: expect.stringMatching(/^(?:authentication|policy)$/) });
  });

  it.each([
    ['550 5.1.1 User unknown', 'invalid_recipient'],
    ['550 5.2.1 <a@a.test>: Recipient address rejected: Address is disabled', 'inactive_mailbox'],
  ])('that answers "%s" refers to the recipient', async (line, found) => {
    await serve({ on: { rcpt: line } }, (port) => `smtp://127.0.0.1:${port}`);
    expect((await fixture.deliver())[0]).toMatchObject({ kind: 'bounced', class: found, bounceType: 'hard' });
  });

  it('without TLS on its smtps port gets nothing in plain text', async () => {
    const relay = await serve({}, (port) => `smtps://${encoded}127.0.0.1:${port}`);
    expect(brief((await fixture.deliver())[0])).toBe('deferred not_sent tls');
    expect(relay.sessions).toHaveLength(1);
  });

  it('whose name does not exist defers', async () => {
    await serve({}, (port) => `smtp://gone.test:${port}`);
    expect(brief((await fixture.deliver())[0])).toBe('deferred not_sent dns');
  });
});

describe('the smarthost URL', () => {
  const resolver = new Resolver({ servers: ['127.0.0.1:1'], timeoutMs: 10 });

  it.each([
    ['smtp://11.1.1.1', { port: 25, tls: 'opportunistic', requirement: { kind: 'none' }, login: null }],
    [
      'smtp://u:p@11.1.1.1',
      { port: 587, tls: 'opportunistic', requirement: { kind: 'webpki' }, login: { user: 'u', password: 'p' } },
    ],
    ['smtps://u:p@11.1.1.1', { port: 465, tls: 'implicit', requirement: { kind: 'webpki' } }],
    ['smtps://u:p@10.1.1.1:2465', { port: 2465, tls: 'implicit', requirement: { kind: 'none' } }],
    ['smtp://[fd00::1]:26', { address: 'fd00::1', port: 26, requirement: { kind: 'none' } }],
  ])('%s', async (url, expected) => {
    fixture = await CourierFixture.start();
    const route = await new SmarthostRouter(resolver, url).route();
    expect(route).toMatchObject({ kind: 'endpoints', endpoints: [expected] });
  });

  it.each(['', 'relay.test', 'http://u:secret@relay.test'])(
    '%j fails at start, without the password in the message',
    async (smarthostUrl) => {
      fixture = await CourierFixture.start();
      const options = {
        mxPort: 25,
        dnsServers: [],
        allowPrivateMx: false,
        connectionsPerHost: 1,
        heloName: 'x',
        ownAddresses: [],
      };
      const timeouts = { connect: 1, greeting: 1, ehlo: 1, mail: 1, rcpt: 1, data: 1, dot: 1, total: 1 };
      const start = () => createCourier({ mode: 'smarthost', smarthostUrl, timeouts, ...options });
      expect(start).toThrow(/smtp:\/\/host/);
      expect(start).not.toThrow(/secret/);
    },
  );
});
