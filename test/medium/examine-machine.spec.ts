import { createPrivateKey } from 'node:crypto';
import { mkdtempSync, symlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { openDoctorRoom, type Fault } from '../support/doctor-room.js';
import { HOST } from '../support/doctor-stage.js';
import { freePorts } from '../support/ports.js';
import { selfSignedCertificate, testAuthority } from '../support/self-signed-certificate.js';

const MASTER_KEY = Buffer.alloc(32, 7).toString('base64');

const room = openDoctorRoom();

function certifyApi(): void {
  const { cert, key } = testAuthority().issue('api.doctor.example');
  room.env['HTTP_TLS_CERT'] = room.stage.file('h.pem', cert);
  room.env['HTTP_TLS_KEY'] = room.stage.file('h-key.pem', key);
}

const FAULTS: Fault[] = [
  // -- settings
  {
    name: 'mail is only captured',
    check: 'settings',
    break: () => (room.env['DELIVERY_MODE'] = 'capture'),
    status: 'warning',
    says: 'nothing leaves this machine',
    fix: 'DELIVERY_MODE=mx',
  },
  {
    name: 'mail goes out under the default name, which name servers of our own may be asked for',
    check: 'settings',
    break: () => (room.env['SERVICE_DOMAIN'] = 'postloft.test'),
    status: 'error',
    says: 'default name postloft.test',
    fix: 'SERVICE_DOMAIN=<',
  },
  {
    name: 'limits and sources that are not there',
    check: 'settings',
    break: () => (room.env['SHAPING_FILE'] = '/nowhere/shaping.json'),
    status: 'error',
    says: /does not start: SHAPING_FILE \/nowhere\/shaping\.json: /,
    fix: 'take SHAPING_FILE out',
  },
  {
    name: 'limits and sources that nobody can read',
    check: 'settings',
    break: () => (room.env['SHAPING_FILE'] = room.stage.file('malformed.json', '{')),
    status: 'error',
    says: 'does not start: SHAPING_FILE',
    fix: 'Correct the file',
  },
  {
    name: 'another port than 25',
    check: 'settings',
    break: () => undefined,
    status: 'warning',
    says: 'listen on port 25',
    fix: 'MX_PORT=25',
  },
  {
    name: 'mail goes out unsigned',
    check: 'settings',
    break: () => (room.env['DKIM_SIGNING'] = 'off'),
    status: 'error',
    says: 'unsigned',
    fix: 'DKIM_SIGNING=on',
  },
  {
    name: 'the API in the clear',
    check: 'settings',
    break: () => (room.env['HTTP_HOST'] = '0.0.0.0'),
    status: 'warning',
    says: 'API keys cross the network in the clear',
    fix: 'HTTP_TLS_CERT',
  },
  {
    name: 'links that are not https',
    check: 'settings',
    break: () => (room.env['HTTP_HOST'] = '0.0.0.0'),
    status: 'warning',
    says: 'must be https',
    fix: 'PUBLIC_URL=https',
  },
  {
    name: 'everybody is a proxy',
    check: 'settings',
    break: () => Object.assign(room.env, { HTTP_HOST: '0.0.0.0', TRUST_PROXY: 'on' }),
    status: 'warning',
    says: 'believed from everybody',
    fix: 'TRUST_PROXY=',
  },
  {
    name: 'webhooks into the own network',
    check: 'settings',
    break: () => Object.assign(room.env, { HTTP_HOST: '0.0.0.0', ALLOW_PRIVATE_WEBHOOKS: 'true' }),
    status: 'warning',
    says: 'your own network',
    fix: 'ALLOW_PRIVATE_WEBHOOKS=false',
  },
  // -- TLS
  {
    name: 'a key of another certificate',
    check: 'tls',
    break: () => room.certify({ ...testAuthority().issue(HOST), key: selfSignedCertificate(HOST).key }),
    status: 'error',
    says: 'key of another certificate',
    fix: 'SMTP_TLS_KEY',
  },
  {
    name: 'a key that is encrypted',
    check: 'tls',
    break: () => {
      const { cert, key } = selfSignedCertificate(HOST);
      const locked = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' } as const;
      room.certify({ cert, key: createPrivateKey(key).export(locked).toString() });
    },
    status: 'error',
    says: 'SMTP_TLS_KEY is encrypted',
    fix: 'openssl pkey -in',
  },
  {
    name: 'a chain that ends at a root of its own',
    check: 'tls',
    break: () => room.certify(testAuthority('Our Root').issue(HOST)),
    status: 'warning',
    says: 'Its chain is complete, but only those know its root who were given it: CN=Our Root.',
    fix: 'Give that root to all who connect',
  },
  {
    name: 'an expired certificate',
    check: 'tls',
    break: () => room.certify(testAuthority().issue(HOST, true)),
    status: 'error',
    says: 'expired on',
    fix: 'certbot',
  },
  {
    name: 'a certificate that ends soon',
    check: 'tls',
    break: () => undefined,
    status: 'warning',
    says: 'expires on',
    fix: 'certbot renew',
  },
  {
    name: 'a certificate for another name',
    check: 'tls',
    break: () => room.certify(testAuthority().issue('mail.elsewhere.example')),
    status: 'error',
    says: `does not stand for ${HOST}`,
    fix: `certbot certonly --standalone -d ${HOST}`,
  },
  {
    name: 'a certificate signed by itself',
    check: 'tls',
    break: () => room.certify(selfSignedCertificate(HOST)),
    status: 'warning',
    says: 'signed by itself',
    fix: 'fullchain.pem',
  },
  {
    name: 'a chain that is cut off',
    check: 'tls',
    break: () => {
      const { cert, key } = testAuthority().issue(HOST);
      room.certify({ key, cert: cert.slice(0, cert.indexOf('-----END CERTIFICATE-----') + 26) });
    },
    status: 'warning',
    says: 'Its issuer is not in the file',
    fix: 'fullchain.pem',
  },
  {
    name: 'no certificate in the file',
    check: 'tls',
    break: () => room.certify({ cert: 'nothing', key: 'nothing' }),
    status: 'error',
    says: 'no certificate',
    fix: 'SMTP_TLS_CERT=',
  },
  {
    name: 'a file that is not there',
    check: 'tls',
    break: () => (room.env['SMTP_TLS_CERT'] = '/nowhere/cert.pem'),
    status: 'error',
    says: 'cannot be read',
    fix: 'Correct the path',
  },
  {
    name: 'an expired certificate of the API',
    check: 'tls',
    break: () =>
      Object.assign(room.env, {
        PUBLIC_URL: `https://${HOST}`,
        HTTP_TLS_CERT: room.stage.file('h.pem', testAuthority().issue(HOST, true).cert),
        HTTP_TLS_KEY: room.env['SMTP_TLS_KEY'],
      }),
    status: 'error',
    says: 'expired on',
    fix: 'HTTP_TLS_CERT=',
  },
  {
    name: 'a certificate of the API whose name nobody told the service',
    check: 'tls',
    break: () => certifyApi(),
    status: 'error',
    says: /^It is http:\/\/localhost:\d+, but HTTP_TLS_CERT stands for api\.doctor\.example/,
    fix: /^PUBLIC_URL=https:\/\/api\.doctor\.example:\d+$/,
  },
  {
    name: 'a certificate of the API whose name nobody told the service, at its usual port on IPv6',
    check: 'tls',
    break: () => {
      certifyApi();
      room.env['PUBLIC_URL'] = 'https://[::1]';
    },
    status: 'error',
    says: /^It is https:\/\/\[::1\], but HTTP_TLS_CERT stands for api\.doctor\.example/,
    fix: /^PUBLIC_URL=https:\/\/api\.doctor\.example$/,
  },
  // -- clock
  {
    name: 'a clock that is minutes behind',
    check: 'clock',
    break: () => (room.stage.time.aheadMs = 300_000),
    status: 'error',
    says: '300.0 s behind',
    fix: 'timedatectl set-ntp true',
  },
  {
    name: 'a clock that is minutes ahead',
    check: 'clock',
    break: () => (room.stage.time.aheadMs = -90_000),
    status: 'error',
    says: '90.0 s ahead',
    fix: 'chrony',
  },
  {
    name: 'a clock that nobody keeps',
    check: 'clock',
    break: () => (room.stage.time.aheadMs = 10_000),
    status: 'warning',
    says: 'nothing keeps it right',
    fix: 'timedatectl',
  },
  {
    name: 'a time server that does not know',
    check: 'clock',
    break: () => (room.stage.time.stratum = 0),
    status: 'skipped',
    says: 'does not know the time',
    fix: 'NTP_SERVERS',
  },
  {
    name: 'a time server that is silent',
    check: 'clock',
    break: () => (room.stage.time.isSilent = true),
    status: 'skipped',
    says: 'no answer in time',
    fix: 'NTP_SERVERS',
    limitMs: 5_000,
  },
  // -- disk
  {
    name: 'data in memory',
    check: 'disk',
    break: () => (room.env['DATA_DIR'] = '/dev/shm/postloft-not-there'),
    status: 'warning',
    says: 'lies on tmpfs',
    fix: 'DATA_DIR=',
  },
  {
    name: 'a database in memory beside a data directory on disk',
    check: 'disk',
    break: () => {
      const memory = mkdtempSync('/dev/shm/postloft-doctor-');
      room.opened.push({ close: () => Promise.all([rm(memory, { recursive: true }), rm(link, { force: true })]) });
      const link = `${room.env['DATA_DIR']}/postgres`;
      symlinkSync(memory, link);
    },
    status: 'warning',
    says: 'lies on tmpfs',
    fix: 'DATA_DIR=',
  },
  // -- engines
  {
    name: 'no database',
    check: 'engines',
    break: async () =>
      Object.assign(room.env, { MASTER_KEY, DATABASE_URL: `postgres://u:p@127.0.0.1:${(await freePorts(1))[0]}/x` }),
    status: 'error',
    says: 'cannot be reached',
    fix: 'DATABASE_URL',
  },
  {
    name: 'a database that says nothing',
    check: 'engines',
    break: async () =>
      Object.assign(room.env, {
        MASTER_KEY,
        DATABASE_URL: `postgres://u:p@127.0.0.1:${await room.listening(createServer())}/x`,
      }),
    status: 'error',
    says: 'cannot be reached',
    fix: 'DATABASE_URL',
    limitMs: 5_000,
  },
  {
    name: 'no Kafka',
    check: 'engines',
    break: async () => (room.env['KAFKA_BROKERS'] = `127.0.0.1:${(await freePorts(1))[0]}`),
    status: 'error',
    says: 'Events wait in PostgreSQL',
    fix: 'KAFKA_BROKERS',
  },
  {
    name: 'no ClickHouse',
    check: 'engines',
    break: async () => (room.env['CLICKHOUSE_URL'] = `http://127.0.0.1:${(await freePorts(1))[0]}/x`),
    status: 'error',
    says: 'Statistics stand still',
    fix: 'CLICKHOUSE_URL',
  },
  // -- the running service
  {
    name: 'another program at HTTP_PORT',
    check: 'service',
    break: async () =>
      (room.env['HTTP_PORT'] = String(
        await room.listening(createHttpServer((_, response) => response.writeHead(404).end())),
      )),
    status: 'error',
    says: 'Something else answers',
    fix: 'HTTP_PORT',
  },
  {
    name: 'a service that hangs',
    check: 'service',
    break: async () => (room.env['HTTP_PORT'] = String(await room.listening(createServer()))),
    status: 'error',
    says: 'does not answer',
    fix: 'restart it',
    limitMs: 1_000,
  },
  {
    name: 'a part that cannot do its work',
    check: 'service',
    break: async () =>
      (room.env['HTTP_PORT'] = String(
        await room.listening(
          createHttpServer((_, response) => response.writeHead(503).end('{"failing":{"relay":"closed"}}')),
        ),
      )),
    status: 'error',
    says: '"relay"',
    fix: 'log',
  },
];

describe('one fault in the machine, its settings and its engines', () => {
  it.each(FAULTS.map((fault) => [fault.name, fault] as const))('%s', (_, fault) => room.expectNamed(fault));
});

describe('without a fault', () => {
  it.each(['clock', 'disk', 'service'])('%s complains of nothing', async (check) => {
    expect(await room.complaints(check)).toEqual([]);
  });
});
