import { createPrivateKey } from 'node:crypto';
import { mkdtempSync, symlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { useDoctorFixture, type Fault } from '../../support/doctor/doctor-fixture.js';
import { HOST } from '../../support/doctor/doctor-network.js';
import { freePorts } from '../../support/services/ports.js';
import { selfSignedCertificate, testAuthority } from '../../support/fixtures/self-signed-certificate.js';

const MASTER_KEY = Buffer.alloc(32, 7).toString('base64');

const fixture = useDoctorFixture();

function setApiCertificate(): void {
  const { cert, key } = testAuthority().issue('api.doctor.example');
  fixture.env['HTTP_TLS_CERT'] = fixture.network.file('h.pem', cert);
  fixture.env['HTTP_TLS_KEY'] = fixture.network.file('h-key.pem', key);
}

const FAULTS: Fault[] = [
  // -- settings
  {
    name: 'mail is only captured',
    check: 'settings',
    break: () => (fixture.env['DELIVERY_MODE'] = 'capture'),
    status: 'warning',
    message: 'nothing leaves this machine',
    fix: 'DELIVERY_MODE=mx',
  },
  {
    name: 'mail is sent with the default domain while DNS_SERVERS is set',
    check: 'settings',
    break: () => (fixture.env['SERVICE_DOMAIN'] = 'postloft.test'),
    status: 'error',
    message: 'default name postloft.test',
    fix: 'SERVICE_DOMAIN=<',
  },
  {
    name: 'a SHAPING_FILE that does not exist',
    check: 'settings',
    break: () => (fixture.env['SHAPING_FILE'] = '/nowhere/shaping.json'),
    status: 'error',
    message: /does not start: SHAPING_FILE \/nowhere\/shaping\.json: /,
    fix: 'take SHAPING_FILE out',
  },
  {
    name: 'a malformed SHAPING_FILE',
    check: 'settings',
    break: () => (fixture.env['SHAPING_FILE'] = fixture.network.file('malformed.json', '{')),
    status: 'error',
    message: 'does not start: SHAPING_FILE',
    fix: 'Correct the file',
  },
  {
    name: 'an MX_PORT other than 25',
    check: 'settings',
    break: () => undefined,
    status: 'warning',
    message: 'listen on port 25',
    fix: 'MX_PORT=25',
  },
  {
    name: 'mail is sent unsigned',
    check: 'settings',
    break: () => (fixture.env['DKIM_SIGNING'] = 'off'),
    status: 'error',
    message: 'unsigned',
    fix: 'DKIM_SIGNING=on',
  },
  {
    name: 'the API without TLS',
    check: 'settings',
    break: () => (fixture.env['HTTP_HOST'] = '0.0.0.0'),
    status: 'warning',
    message: 'API keys cross the network in the clear',
    fix: 'HTTP_TLS_CERT',
  },
  {
    name: 'links that are not https',
    check: 'settings',
    break: () => (fixture.env['HTTP_HOST'] = '0.0.0.0'),
    status: 'warning',
    message: 'must be https',
    fix: 'PUBLIC_URL=https',
  },
  {
    name: 'every client is a trusted proxy',
    check: 'settings',
    break: () => Object.assign(fixture.env, { HTTP_HOST: '0.0.0.0', TRUST_PROXY: 'on' }),
    status: 'warning',
    message: 'believed from everybody',
    fix: 'TRUST_PROXY=',
  },
  {
    name: 'webhooks into the private network',
    check: 'settings',
    break: () => Object.assign(fixture.env, { HTTP_HOST: '0.0.0.0', ALLOW_PRIVATE_WEBHOOKS: 'true' }),
    status: 'warning',
    message: 'your own network',
    fix: 'ALLOW_PRIVATE_WEBHOOKS=false',
  },
  // -- TLS
  {
    name: 'a key of another certificate',
    check: 'tls',
    break: () => fixture.setRelayCertificate({ ...testAuthority().issue(HOST), key: selfSignedCertificate(HOST).key }),
    status: 'error',
    message: 'key of another certificate',
    fix: 'SMTP_TLS_KEY',
  },
  {
    name: 'an encrypted key',
    check: 'tls',
    break: () => {
      const { cert, key } = selfSignedCertificate(HOST);
      const locked = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' } as const;
      fixture.setRelayCertificate({ cert, key: createPrivateKey(key).export(locked).toString() });
    },
    status: 'error',
    message: 'SMTP_TLS_KEY is encrypted',
    fix: 'openssl pkey -in',
  },
  {
    name: 'a chain that ends at a private root',
    check: 'tls',
    break: () => fixture.setRelayCertificate(testAuthority('Our Root').issue(HOST)),
    status: 'warning',
    message: 'Its chain is complete, but only those know its root who were given it: CN=Our Root.',
    fix: 'Give that root to all who connect',
  },
  {
    name: 'an expired certificate',
    check: 'tls',
    break: () => fixture.setRelayCertificate(testAuthority().issue(HOST, true)),
    status: 'error',
    message: 'expired on',
    fix: 'certbot',
  },
  {
    name: 'a certificate that expires soon',
    check: 'tls',
    break: () => undefined,
    status: 'warning',
    message: 'expires on',
    fix: 'certbot renew',
  },
  {
    name: 'a certificate for another name',
    check: 'tls',
    break: () => fixture.setRelayCertificate(testAuthority().issue('mail.elsewhere.example')),
    status: 'error',
    message: `does not stand for ${HOST}`,
    fix: `certbot certonly --standalone -d ${HOST}`,
  },
  {
    name: 'a self-signed certificate',
    check: 'tls',
    break: () => fixture.setRelayCertificate(selfSignedCertificate(HOST)),
    status: 'warning',
    message: 'signed by itself',
    fix: 'fullchain.pem',
  },
  {
    name: 'an incomplete chain',
    check: 'tls',
    break: () => {
      const { cert, key } = testAuthority().issue(HOST);
      fixture.setRelayCertificate({ key, cert: cert.slice(0, cert.indexOf('-----END CERTIFICATE-----') + 26) });
    },
    status: 'warning',
    message: 'Its issuer is not in the file',
    fix: 'fullchain.pem',
  },
  {
    name: 'a file without a certificate',
    check: 'tls',
    break: () => fixture.setRelayCertificate({ cert: 'nothing', key: 'nothing' }),
    status: 'error',
    message: 'no certificate',
    fix: 'SMTP_TLS_CERT=',
  },
  {
    name: 'a certificate file that does not exist',
    check: 'tls',
    break: () => (fixture.env['SMTP_TLS_CERT'] = '/nowhere/cert.pem'),
    status: 'error',
    message: 'cannot be read',
    fix: 'Correct the path',
  },
  {
    name: 'an expired certificate of the API',
    check: 'tls',
    break: () =>
      Object.assign(fixture.env, {
        PUBLIC_URL: `https://${HOST}`,
        HTTP_TLS_CERT: fixture.network.file('h.pem', testAuthority().issue(HOST, true).cert),
        HTTP_TLS_KEY: fixture.env['SMTP_TLS_KEY'],
      }),
    status: 'error',
    message: 'expired on',
    fix: 'HTTP_TLS_CERT=',
  },
  {
    name: 'a PUBLIC_URL without the name of the API certificate',
    check: 'tls',
    break: () => setApiCertificate(),
    status: 'error',
    message: /^It is http:\/\/localhost:\d+, but HTTP_TLS_CERT stands for api\.doctor\.example/,
    fix: /^PUBLIC_URL=https:\/\/api\.doctor\.example:\d+$/,
  },
  {
    name: 'a PUBLIC_URL without the name of the API certificate, on the default port of IPv6',
    check: 'tls',
    break: () => {
      setApiCertificate();
      fixture.env['PUBLIC_URL'] = 'https://[::1]';
    },
    status: 'error',
    message: /^It is https:\/\/\[::1\], but HTTP_TLS_CERT stands for api\.doctor\.example/,
    fix: /^PUBLIC_URL=https:\/\/api\.doctor\.example$/,
  },
  // -- clock
  {
    name: 'a clock that is minutes behind',
    check: 'clock',
    break: () => (fixture.network.time.aheadMs = 300_000),
    status: 'error',
    message: '300.0 s behind',
    fix: 'timedatectl set-ntp true',
  },
  {
    name: 'a clock that is minutes ahead',
    check: 'clock',
    break: () => (fixture.network.time.aheadMs = -90_000),
    status: 'error',
    message: '90.0 s ahead',
    fix: 'chrony',
  },
  {
    name: 'a clock that is not synchronised',
    check: 'clock',
    break: () => (fixture.network.time.aheadMs = 10_000),
    status: 'warning',
    message: 'nothing keeps it right',
    fix: 'timedatectl',
  },
  {
    name: 'a time server that is not synchronised',
    check: 'clock',
    break: () => (fixture.network.time.stratum = 0),
    status: 'skipped',
    message: 'does not know the time',
    fix: 'NTP_SERVERS',
  },
  {
    name: 'a time server that does not answer',
    check: 'clock',
    break: () => (fixture.network.time.isSilent = true),
    status: 'skipped',
    message: 'no answer in time',
    fix: 'NTP_SERVERS',
    limitMs: 5_000,
  },
  // -- disk
  {
    name: 'a data directory in memory',
    check: 'disk',
    break: () => (fixture.env['DATA_DIR'] = '/dev/shm/postloft-not-there'),
    status: 'warning',
    message: 'lies on tmpfs',
    fix: 'DATA_DIR=',
  },
  {
    name: 'a database in memory beside a data directory on disk',
    check: 'disk',
    break: () => {
      const memory = mkdtempSync('/dev/shm/postloft-doctor-');
      fixture.opened.push({ close: () => Promise.all([rm(memory, { recursive: true }), rm(link, { force: true })]) });
      const link = `${fixture.env['DATA_DIR']}/postgres`;
      symlinkSync(memory, link);
    },
    status: 'warning',
    message: 'lies on tmpfs',
    fix: 'DATA_DIR=',
  },
  // -- engines
  {
    name: 'no database',
    check: 'engines',
    break: async () =>
      Object.assign(fixture.env, { MASTER_KEY, DATABASE_URL: `postgres://u:p@127.0.0.1:${(await freePorts(1))[0]}/x` }),
    status: 'error',
    message: 'cannot be reached',
    fix: 'DATABASE_URL',
  },
  {
    name: 'a database that does not answer',
    check: 'engines',
    break: async () =>
      Object.assign(fixture.env, {
        MASTER_KEY,
        DATABASE_URL: `postgres://u:p@127.0.0.1:${await fixture.listen(createServer())}/x`,
      }),
    status: 'error',
    message: 'cannot be reached',
    fix: 'DATABASE_URL',
    limitMs: 5_000,
  },
  {
    name: 'no Kafka',
    check: 'engines',
    break: async () => (fixture.env['KAFKA_BROKERS'] = `127.0.0.1:${(await freePorts(1))[0]}`),
    status: 'error',
    message: 'Events wait in PostgreSQL',
    fix: 'KAFKA_BROKERS',
  },
  {
    name: 'no ClickHouse',
    check: 'engines',
    break: async () => (fixture.env['CLICKHOUSE_URL'] = `http://127.0.0.1:${(await freePorts(1))[0]}/x`),
    status: 'error',
    message: 'Statistics stand still',
    fix: 'CLICKHOUSE_URL',
  },
  // -- running service
  {
    name: 'another program at HTTP_PORT',
    check: 'service',
    break: async () =>
      (fixture.env['HTTP_PORT'] = String(
        await fixture.listen(createHttpServer((_, response) => response.writeHead(404).end())),
      )),
    status: 'error',
    message: 'Something else answers',
    fix: 'HTTP_PORT',
  },
  {
    name: 'a service that hangs',
    check: 'service',
    break: async () => (fixture.env['HTTP_PORT'] = String(await fixture.listen(createServer()))),
    status: 'error',
    message: 'does not answer',
    fix: 'restart it',
    limitMs: 1_000,
  },
  {
    name: 'a part that is not ready',
    check: 'service',
    break: async () =>
      (fixture.env['HTTP_PORT'] = String(
        await fixture.listen(
          createHttpServer((_, response) => response.writeHead(503).end('{"failing":{"relay":"closed"}}')),
        ),
      )),
    status: 'error',
    message: '"relay"',
    fix: 'log',
  },
];

describe('one fault of the machine, its settings or its engines', () => {
  it.each(FAULTS.map((fault) => [fault.name, fault] as const))('%s', (_, fault) => fixture.expectReported(fault));
});

describe('without a fault', () => {
  it.each(['clock', 'disk', 'service'])('%s reports no problem', async (check) => {
    expect(await fixture.problems(check)).toEqual([]);
  });
});
