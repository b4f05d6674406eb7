import { createServer } from 'node:https';
import { describe, expect, it } from 'vitest';
import { openDoctorRoom, type Fault } from '../support/doctor-room.js';
import { HOST, SERVICE, REVERSE } from '../support/doctor-stage.js';
import { freePorts } from '../support/ports.js';
import { ScriptedMx } from '../support/scripted-mx.js';
import { selfSignedCertificate } from '../support/self-signed-certificate.js';

/** Nobody listens there. */
const ELSEWHERE = '127.0.0.99';

const room = openDoctorRoom();

/** Greets as the inbound door does, and asks for a login once it is secured. */
const relay = () => ({
  on: { banner: `220 ${HOST} ESMTP` },
  tls: selfSignedCertificate(HOST),
  login: { user: 'u', password: 'p' },
});

const FAULTS: Fault[] = [
  // -- way out
  {
    name: 'port 25 is closed',
    check: 'port-25',
    break: async () => (room.env['MX_PORT'] = String((await freePorts(1))[0])),
    status: 'error',
    says: 'No mail gets out',
    fix: 'SMARTHOST_URL=',
  },
  {
    name: 'port 25 is silent',
    check: 'port-25',
    break: () => room.stage.servers.forEach((server) => (server.script = { on: { banner: 'silence' } })),
    status: 'error',
    says: 'No mail gets out',
    fix: 'Ask the hosting provider',
    limitMs: 1_000,
  },
  {
    name: 'one provider is away',
    check: 'port-25',
    break: () => (room.stage.servers[1].script = { on: { banner: 'close' } }),
    status: 'warning',
    says: 'could not be reached',
    fix: 'look again later',
  },
  {
    name: 'our address is refused',
    check: 'port-25',
    break: () => (room.stage.servers[0].script = { on: { banner: '554 5.7.1 Your address is listed' } }),
    status: 'error',
    says: 'Your address is listed',
    fix: 'block lists',
  },
  {
    name: 'DNS that leads into the own network',
    check: 'port-25',
    break: () => (room.env['ALLOW_PRIVATE_MX'] = 'false'),
    status: 'error',
    says: "nobody's on the internet",
    fix: 'DNS_SERVERS',
  },
  {
    name: 'no internet at all',
    check: 'port-25',
    break: () => ['gmail', 'outlook', 'yahoo'].forEach((name) => room.stage.dns.remove(`${name}.com`)),
    status: 'error',
    says: 'without the internet',
    fix: 'DNS_SERVERS',
  },
  {
    name: 'a smarthost that is away',
    check: 'port-25',
    break: async () =>
      Object.assign(room.env, {
        DELIVERY_MODE: 'smarthost',
        SMARTHOST_URL: `smtp://127.0.0.1:${(await freePorts(1))[0]}`,
      }),
    status: 'error',
    says: 'could not be reached',
    fix: 'SMARTHOST_URL',
  },
  {
    name: 'a smarthost that nobody knows',
    check: 'port-25',
    break: () => Object.assign(room.env, { DELIVERY_MODE: 'smarthost', SMARTHOST_URL: 'smtp://relay.nowhere.example' }),
    status: 'error',
    says: 'has no address',
    fix: 'SMARTHOST_URL',
  },
  {
    name: 'a smarthost without TLS',
    check: 'port-25',
    break: () => room.smarthost({}, 'u:p@'),
    status: 'error',
    says: 'password of SMARTHOST_URL would cross',
    fix: 'smtps://',
  },
  {
    name: 'a smarthost without login',
    check: 'port-25',
    break: () => room.smarthost({ tls: selfSignedCertificate('relay.test') }, 'u:p@'),
    status: 'error',
    says: 'offers no login',
    fix: '587',
  },
  {
    name: 'a smarthost that refuses the password',
    check: 'port-25',
    break: () =>
      room.smarthost({ tls: selfSignedCertificate('relay.test'), login: { user: 'u', password: 'q' } }, 'u:p@'),
    status: 'error',
    says: /refuses the login of SMARTHOST_URL: 535 /,
    fix: 'Correct user and password',
  },
  {
    name: 'a smarthost that cannot look passwords up now',
    check: 'port-25',
    break: () => {
      const login = { user: 'u', password: 'p' };
      return room.smarthost(
        { tls: selfSignedCertificate('relay.test'), login, on: { auth: '454 4.7.0 Try again later' } },
        'u:p@',
      );
    },
    status: 'warning',
    says: '454 4.7.0 Try again later',
    fix: 'SMARTHOST_URL',
  },
  {
    name: 'a smarthost with a login that nobody here speaks',
    check: 'port-25',
    break: () => {
      const login = { user: 'u', password: 'p', mechanisms: 'GSSAPI' };
      return room.smarthost({ tls: selfSignedCertificate('relay.test'), login }, 'u:p@');
    },
    status: 'error',
    says: 'neither AUTH PLAIN nor AUTH LOGIN',
    fix: 'another server in SMARTHOST_URL',
  },
  // -- way to the web
  {
    name: 'port 443 is closed',
    check: 'https',
    break: async () => {
      room.stage.dns.set('mta-sts.gmail.com', { A: ['127.0.0.1'] });
      room.env['MTA_STS_PORT'] = String((await freePorts(1))[0]);
    },
    status: 'warning',
    says: 'cannot be reached',
    fix: '443',
  },
  {
    name: 'something opens TLS on the way',
    check: 'https',
    break: () => serveWeb(),
    status: 'warning',
    says: 'something on the way opens TLS',
    fix: 'NODE_EXTRA_CA_CERTS=',
  },
  {
    name: 'a clock that only a web server tells to be wrong',
    check: 'clock',
    break: () => {
      room.stage.time.isSilent = true;
      return serveWeb(300_000);
    },
    status: 'error',
    says: /(299|30[01])\.\d s behind \(against mta-sts\.gmail\.com\)/,
    fix: 'timedatectl',
    limitMs: 8_000,
  },
  // -- way in
  {
    name: 'a stranger where bounces go',
    check: 'inbound',
    break: () => (room.stage.servers[3].script = { on: { banner: '220 mx.elsewhere.example ESMTP' } }),
    status: 'error',
    says: 'Another server answers',
    fix: 'INBOUND_SMTP_PORT',
  },
  {
    name: 'the relay where bounces go',
    check: 'inbound',
    break: () => (room.stage.servers[3].script = relay()),
    status: 'error',
    says: /Our relay answers at .*bounces and complaints are refused/,
    fix: /^Lead port 25 of .* to INBOUND_SMTP_PORT/,
  },
  {
    name: 'the relay at the inbound door',
    check: 'inbound',
    break: async () => {
      const server = await ScriptedMx.start(relay());
      room.opened.push(server);
      room.env['INBOUND_SMTP_PORT'] = String(server.port);
    },
    status: 'error',
    says: 'The relay answers on INBOUND_SMTP_PORT',
    fix: 'a port of its own',
  },
  {
    name: 'nobody where bounces go',
    check: 'inbound',
    break: () => room.stage.dns.set(HOST, { A: [ELSEWHERE] }),
    status: 'warning',
    says: 'does not answer on port',
    fix: 'nft add rule',
  },
  {
    name: 'another program at the inbound door',
    check: 'inbound',
    break: async () => {
      const server = await ScriptedMx.start({ on: { banner: '220 exim.example ESMTP' } });
      room.opened.push(server);
      room.env['INBOUND_SMTP_PORT'] = String(server.port);
    },
    status: 'error',
    says: 'Another program answers',
    fix: 'INBOUND_SMTP_PORT',
  },
  {
    name: 'an MX host without an address',
    check: 'inbound',
    break: () => room.stage.dns.set(`bounces.${SERVICE}`, { MX: [{ preference: 1, exchange: 'gone.example' }] }),
    status: 'error',
    says: 'has no address',
    fix: `MX 10 ${HOST}.`,
  },
  // -- block lists
  {
    name: 'an address on a large list',
    check: 'block-lists',
    break: () => room.stage.dns.set('10.0.0.127.zen.spamhaus.org', { A: ['127.0.0.2', '127.0.0.10'] }),
    status: 'error',
    says: /Spamhaus ZEN lists it \(SBL.*PBL/,
    fix: 'https://check.spamhaus.org/',
  },
  {
    name: 'an address on a small list',
    check: 'block-lists',
    break: () => room.stage.dns.set('10.0.0.127.dnsbl-1.uceprotect.net', { A: ['127.0.0.2'] }),
    status: 'warning',
    says: 'UCEPROTECT level 1 lists it',
    fix: 'uceprotect.net',
  },
  {
    name: 'the domain on a list',
    check: 'block-lists',
    break: () => room.stage.dns.set(`${SERVICE}.dbl.spamhaus.org`, { A: ['127.0.1.2'] }),
    status: 'error',
    says: 'Spamhaus DBL lists it',
    fix: 'https://',
  },
  {
    name: 'a list that refuses our name server',
    check: 'block-lists',
    break: () =>
      ['1.0.0.127', '2.0.0.127', '10.0.0.127'].forEach((at) =>
        room.stage.dns.set(`${at}.zen.spamhaus.org`, { A: ['127.255.255.254'] }),
      ),
    status: 'skipped',
    says: 'does not answer shared resolvers',
    fix: 'unbound',
  },
  {
    name: 'a list that lists everybody',
    check: 'block-lists',
    break: () =>
      ['1.0.0.127', '2.0.0.127', '10.0.0.127'].forEach((at) =>
        room.stage.dns.set(`${at}.bl.spamcop.net`, { A: ['127.0.0.2'] }),
      ),
    status: 'skipped',
    says: 'lists what is never listed',
    fix: 'unbound',
  },
  {
    name: 'a list that is gone',
    check: 'block-lists',
    break: () => room.stage.dns.remove('2.0.0.127.psbl.surriel.com'),
    status: 'skipped',
    says: 'its test entry is not there',
  },
  {
    name: 'a list whose zone was sold',
    check: 'block-lists',
    break: () =>
      ['1.0.0.127', '2.0.0.127', '10.0.0.127'].forEach((at) =>
        room.stage.dns.set(`${at}.psbl.surriel.com`, { A: ['192.0.2.80'] }),
      ),
    status: 'skipped',
    says: 'is no answer of a list',
  },
];

async function serveWeb(aheadMs = 0): Promise<void> {
  const server = createServer(selfSignedCertificate('mta-sts.gmail.com'), (_, response) =>
    response.setHeader('date', new Date(Date.now() + aheadMs).toUTCString()).end(),
  );
  room.env['MTA_STS_PORT'] = String(await room.listening(server));
  room.stage.dns.set('mta-sts.gmail.com', { A: ['127.0.0.1'] });
}

describe('one fault in the ways out and in, and what others think of us', () => {
  it.each(FAULTS.map((fault) => [fault.name, fault] as const))('%s', (_, fault) => room.expectNamed(fault));
});

describe('without a fault', () => {
  it.each(['port-25', 'inbound', 'block-lists'])('%s complains of nothing', async (check) => {
    expect(await room.complaints(check)).toEqual([]);
  });

  it('has errors nowhere while mail is only captured: they are warnings then', async () => {
    room.env['DELIVERY_MODE'] = 'capture';
    room.stage.dns.remove(REVERSE);
    expect((await room.look('ptr')).map(({ status }) => status)).toEqual(['warning']);
  });

  it('is reached by way of a smarthost that takes the password over TLS', async () => {
    await room.smarthost({ tls: selfSignedCertificate('relay.test'), login: { user: 'u', password: 'p' } }, 'u:p@');
    expect(await room.look('port-25')).toMatchObject([
      { status: 'ok', message: 'It greets us, speaks TLS and takes our login.' },
    ]);
    expect(await room.look('addresses')).toMatchObject([{ status: 'skipped' }]);
    expect(await room.complaints('spf')).toEqual([]);
  });

  it('tries the password at the first address of a smarthost alone: wrong ones are counted', async () => {
    const script = { tls: selfSignedCertificate('relay.test'), login: { user: 'u', password: 'q' } };
    const first = await ScriptedMx.start(script);
    room.opened.push(first);
    const second = await ScriptedMx.start({ ...script, host: '127.0.0.2', port: first.port });
    room.opened.push(second);
    room.stage.dns.set('relay.test', { A: ['127.0.0.1', '127.0.0.2'] });
    Object.assign(room.env, { DELIVERY_MODE: 'smarthost', SMARTHOST_URL: `smtp://u:p@relay.test:${first.port}` });
    expect(await room.look('port-25')).toMatchObject([
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
