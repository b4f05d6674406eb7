import { createServer } from 'node:https';
import { describe, expect, it } from 'vitest';
import { useDoctorFixture, type Fault } from '../../support/doctor/doctor-fixture.js';
import { HOST, SERVICE, REVERSE } from '../../support/doctor/doctor-network.js';
import { freePorts } from '../../support/services/ports.js';
import { ScriptedMx } from '../../support/mail-servers/scripted-mx.js';
import { selfSignedCertificate } from '../../support/fixtures/self-signed-certificate.js';

/** No server listens there. */
const ELSEWHERE = '127.0.0.99';

const fixture = useDoctorFixture();

/** Sends the same greeting as the inbound listener, and offers AUTH over TLS. */
const relay = () => ({
  on: { banner: `220 ${HOST} ESMTP` },
  tls: selfSignedCertificate(HOST),
  login: { user: 'u', password: 'p' },
});

const FAULTS: Fault[] = [
  // -- outbound SMTP
  {
    name: 'port 25 is closed',
    check: 'port-25',
    break: async () => (fixture.env['MX_PORT'] = String((await freePorts(1))[0])),
    status: 'error',
    message: 'No mail gets out',
    fix: 'SMARTHOST_URL=',
  },
  {
    name: 'port 25 does not answer',
    check: 'port-25',
    break: () => fixture.network.servers.forEach((server) => (server.script = { on: { banner: 'silence' } })),
    status: 'error',
    message: 'No mail gets out',
    fix: 'Ask the hosting provider',
    limitMs: 1_000,
  },
  {
    name: 'one provider is down',
    check: 'port-25',
    break: () => (fixture.network.servers[1].script = { on: { banner: 'close' } }),
    status: 'warning',
    message: 'could not be reached',
    fix: 'look again later',
  },
  {
    name: 'our address is refused',
    check: 'port-25',
    break: () => (fixture.network.servers[0].script = { on: { banner: '554 5.7.1 Your address is listed' } }),
    status: 'error',
    message: 'Your address is listed',
    fix: 'block lists',
  },
  {
    name: 'DNS that answers with private addresses',
    check: 'port-25',
    break: () => (fixture.env['ALLOW_PRIVATE_MX'] = 'false'),
    status: 'error',
    message: "nobody's on the internet",
    fix: 'DNS_SERVERS',
  },
  {
    name: 'no internet',
    check: 'port-25',
    break: () => ['gmail', 'outlook', 'yahoo'].forEach((name) => fixture.network.dns.remove(`${name}.com`)),
    status: 'error',
    message: 'without the internet',
    fix: 'DNS_SERVERS',
  },
  {
    name: 'a smarthost that is down',
    check: 'port-25',
    break: async () =>
      Object.assign(fixture.env, {
        DELIVERY_MODE: 'smarthost',
        SMARTHOST_URL: `smtp://127.0.0.1:${(await freePorts(1))[0]}`,
      }),
    status: 'error',
    message: 'could not be reached',
    fix: 'SMARTHOST_URL',
  },
  {
    name: 'a smarthost without an address',
    check: 'port-25',
    break: () =>
      Object.assign(fixture.env, { DELIVERY_MODE: 'smarthost', SMARTHOST_URL: 'smtp://relay.nowhere.example' }),
    status: 'error',
    message: 'has no address',
    fix: 'SMARTHOST_URL',
  },
  {
    name: 'a smarthost without TLS',
    check: 'port-25',
    break: () => fixture.useSmarthost({}, 'u:p@'),
    status: 'error',
    message: 'password of SMARTHOST_URL would cross',
    fix: 'smtps://',
  },
  {
    name: 'a smarthost without login',
    check: 'port-25',
    break: () => fixture.useSmarthost({ tls: selfSignedCertificate('relay.test') }, 'u:p@'),
    status: 'error',
    message: 'offers no login',
    fix: '587',
  },
  {
    name: 'a smarthost that refuses the password',
    check: 'port-25',
    break: () =>
      fixture.useSmarthost({ tls: selfSignedCertificate('relay.test'), login: { user: 'u', password: 'q' } }, 'u:p@'),
    status: 'error',
    message: /refuses the login of SMARTHOST_URL: 535 /,
    fix: 'Correct user and password',
  },
  {
    name: 'a smarthost with a temporary failure of its login',
    check: 'port-25',
    break: () => {
      const login = { user: 'u', password: 'p' };
      return fixture.useSmarthost(
        { tls: selfSignedCertificate('relay.test'), login, on: { auth: '454 4.7.0 Try again later' } },
        'u:p@',
      );
    },
    status: 'warning',
    message: '454 4.7.0 Try again later',
    fix: 'SMARTHOST_URL',
  },
  {
    name: 'a smarthost without PLAIN and LOGIN',
    check: 'port-25',
    break: () => {
      const login = { user: 'u', password: 'p', mechanisms: 'GSSAPI' };
      return fixture.useSmarthost({ tls: selfSignedCertificate('relay.test'), login }, 'u:p@');
    },
    status: 'error',
    message: 'neither AUTH PLAIN nor AUTH LOGIN',
    fix: 'another server in SMARTHOST_URL',
  },
  // -- outbound HTTPS
  {
    name: 'port 443 is closed',
    check: 'https',
    break: async () => {
      fixture.network.dns.set('mta-sts.gmail.com', { A: ['127.0.0.1'] });
      fixture.env['MTA_STS_PORT'] = String((await freePorts(1))[0]);
    },
    status: 'warning',
    message: 'cannot be reached',
    fix: '443',
  },
  {
    name: 'a proxy that opens TLS',
    check: 'https',
    break: () => serveWeb(),
    status: 'warning',
    message: 'something on the way opens TLS',
    fix: 'NODE_EXTRA_CA_CERTS=',
  },
  {
    name: 'a wrong clock without time servers, by a web server',
    check: 'clock',
    break: () => {
      fixture.network.time.isSilent = true;
      return serveWeb(300_000);
    },
    status: 'error',
    message: /(299|30[01])\.\d s behind \(against mta-sts\.gmail\.com\)/,
    fix: 'timedatectl',
    limitMs: 8_000,
  },
  // -- inbound SMTP
  {
    name: 'another server at the MX host for bounces',
    check: 'inbound',
    break: () => (fixture.network.servers[3].script = { on: { banner: '220 mx.elsewhere.example ESMTP' } }),
    status: 'error',
    message: 'Another server answers',
    fix: 'INBOUND_SMTP_PORT',
  },
  {
    name: 'the relay at the MX host for bounces',
    check: 'inbound',
    break: () => (fixture.network.servers[3].script = relay()),
    status: 'error',
    message: /Our relay answers at .*bounces and complaints are refused/,
    fix: /^Lead port 25 of .* to INBOUND_SMTP_PORT/,
  },
  {
    name: 'the relay on INBOUND_SMTP_PORT',
    check: 'inbound',
    break: async () => {
      const server = await ScriptedMx.start(relay());
      fixture.opened.push(server);
      fixture.env['INBOUND_SMTP_PORT'] = String(server.port);
    },
    status: 'error',
    message: 'The relay answers on INBOUND_SMTP_PORT',
    fix: 'a port of its own',
  },
  {
    name: 'no server at the MX host for bounces',
    check: 'inbound',
    break: () => fixture.network.dns.set(HOST, { A: [ELSEWHERE] }),
    status: 'warning',
    message: 'does not answer on port',
    fix: 'nft add rule',
  },
  {
    name: 'another program on INBOUND_SMTP_PORT',
    check: 'inbound',
    break: async () => {
      const server = await ScriptedMx.start({ on: { banner: '220 exim.example ESMTP' } });
      fixture.opened.push(server);
      fixture.env['INBOUND_SMTP_PORT'] = String(server.port);
    },
    status: 'error',
    message: 'Another program answers',
    fix: 'INBOUND_SMTP_PORT',
  },
  {
    name: 'an MX host without an address',
    check: 'inbound',
    break: () => fixture.network.dns.set(`bounces.${SERVICE}`, { MX: [{ preference: 1, exchange: 'gone.example' }] }),
    status: 'error',
    message: 'has no address',
    fix: `MX 10 ${HOST}.`,
  },
  // -- block lists
  {
    name: 'an address on a large list',
    check: 'block-lists',
    break: () => fixture.network.dns.set('10.0.0.127.zen.spamhaus.org', { A: ['127.0.0.2', '127.0.0.10'] }),
    status: 'error',
    message: /Spamhaus ZEN lists it \(SBL.*PBL/,
    fix: 'https://check.spamhaus.org/',
  },
  {
    name: 'an address on a small list',
    check: 'block-lists',
    break: () => fixture.network.dns.set('10.0.0.127.dnsbl-1.uceprotect.net', { A: ['127.0.0.2'] }),
    status: 'warning',
    message: 'UCEPROTECT level 1 lists it',
    fix: 'uceprotect.net',
  },
  {
    name: 'the service domain on a list',
    check: 'block-lists',
    break: () => fixture.network.dns.set(`${SERVICE}.dbl.spamhaus.org`, { A: ['127.0.1.2'] }),
    status: 'error',
    message: 'Spamhaus DBL lists it',
    fix: 'https://',
  },
  {
    name: 'a list that refuses our name server',
    check: 'block-lists',
    break: () =>
      ['1.0.0.127', '2.0.0.127', '10.0.0.127'].forEach((at) =>
        fixture.network.dns.set(`${at}.zen.spamhaus.org`, { A: ['127.255.255.254'] }),
      ),
    status: 'skipped',
    message: 'does not answer shared resolvers',
    fix: 'unbound',
  },
  {
    name: 'a list that lists every address',
    check: 'block-lists',
    break: () =>
      ['1.0.0.127', '2.0.0.127', '10.0.0.127'].forEach((at) =>
        fixture.network.dns.set(`${at}.bl.spamcop.net`, { A: ['127.0.0.2'] }),
      ),
    status: 'skipped',
    message: 'lists what is never listed',
    fix: 'unbound',
  },
  {
    name: 'a list that is out of service',
    check: 'block-lists',
    break: () => fixture.network.dns.remove('2.0.0.127.psbl.surriel.com'),
    status: 'skipped',
    message: 'its test entry is not there',
  },
  {
    name: 'a list whose zone was sold',
    check: 'block-lists',
    break: () =>
      ['1.0.0.127', '2.0.0.127', '10.0.0.127'].forEach((at) =>
        fixture.network.dns.set(`${at}.psbl.surriel.com`, { A: ['192.0.2.80'] }),
      ),
    status: 'skipped',
    message: 'is no answer of a list',
  },
];

async function serveWeb(aheadMs = 0): Promise<void> {
  const server = createServer(selfSignedCertificate('mta-sts.gmail.com'), (_, response) =>
    response.setHeader('date', new Date(Date.now() + aheadMs).toUTCString()).end(),
  );
  fixture.env['MTA_STS_PORT'] = String(await fixture.listen(server));
  fixture.network.dns.set('mta-sts.gmail.com', { A: ['127.0.0.1'] });
}

describe('one fault of reachability or reputation', () => {
  it.each(FAULTS.map((fault) => [fault.name, fault] as const))('%s', (_, fault) => fixture.expectReported(fault));
});

describe('without a fault', () => {
  it.each(['port-25', 'inbound', 'block-lists'])('%s reports no problem', async (check) => {
    expect(await fixture.problems(check)).toEqual([]);
  });

  it('reports warnings instead of errors while mail is only captured', async () => {
    fixture.env['DELIVERY_MODE'] = 'capture';
    fixture.network.dns.remove(REVERSE);
    expect((await fixture.run('ptr')).map(({ status }) => status)).toEqual(['warning']);
  });

  it('accepts a smarthost that accepts the password over TLS', async () => {
    await fixture.useSmarthost(
      { tls: selfSignedCertificate('relay.test'), login: { user: 'u', password: 'p' } },
      'u:p@',
    );
    expect(await fixture.run('port-25')).toMatchObject([
      { status: 'ok', message: 'It greets us, speaks TLS and takes our login.' },
    ]);
    expect(await fixture.run('addresses')).toMatchObject([{ status: 'skipped' }]);
    expect(await fixture.problems('spf')).toEqual([]);
  });

  it('tries the password only at the first address of a smarthost, which may count wrong ones', async () => {
    const script = { tls: selfSignedCertificate('relay.test'), login: { user: 'u', password: 'q' } };
    const first = await ScriptedMx.start(script);
    fixture.opened.push(first);
    const second = await ScriptedMx.start({ ...script, host: '127.0.0.2', port: first.port });
    fixture.opened.push(second);
    fixture.network.dns.set('relay.test', { A: ['127.0.0.1', '127.0.0.2'] });
    Object.assign(fixture.env, { DELIVERY_MODE: 'smarthost', SMARTHOST_URL: `smtp://u:p@relay.test:${first.port}` });
    expect(await fixture.run('port-25')).toMatchObject([
      { status: 'error', message: expect.stringContaining('refuses the login') as string },
      {
        status: 'ok',
        message: 'It greets us, speaks TLS and offers a login, which is tried at the first address alone.',
      },
    ]);
    const commands = [first, second].flatMap(({ sessions }) => sessions.flatMap((session) => session.commands));
    expect(commands.filter((command) => command.startsWith('AUTH'))).toHaveLength(1);
  });
});
