import { networkInterfaces } from 'node:os';
import { isPublicAddress } from '#libs/kernel';
import { beforeEach, describe, expect, it } from 'vitest';
import { openDoctorRoom, type Fault } from '../support/doctor-room.js';
import { HOST, REVERSE, SERVICE, SOURCE } from '../support/doctor-stage.js';
import { freePorts } from '../support/ports.js';

/** Nobody listens there. */
const ELSEWHERE = '127.0.0.99';

const room = openDoctorRoom();

/** Of a name, by preference. */
const exchanges = (hosts: Record<number, string>) => ({
  MX: Object.entries(hosts).map(([preference, exchange]) => ({ preference: Number(preference), exchange })),
});

const FAULTS: Fault[] = [
  // -- name servers
  {
    name: 'a name server that is gone',
    check: 'name-servers',
    break: async () => (room.env['DNS_SERVERS'] = `${room.stage.dns.address},127.0.0.1:${(await freePorts(1))[0]}`),
    status: 'error',
    says: 'does not answer',
    fix: 'DNS_SERVERS',
    limitMs: 9_000,
  },
  {
    name: 'a name server that lies',
    check: 'name-servers',
    break: () => (room.stage.dns.lie = '192.0.2.80'),
    status: 'error',
    says: 'which does not exist',
    fix: 'unbound',
  },
  // -- source addresses
  {
    name: 'a source that this machine does not have',
    check: 'addresses',
    break: () => room.shape({ address: '192.0.2.77' }),
    status: 'error',
    says: 'does not have it',
    fix: 'ip address add 192.0.2.77/32',
  },
  {
    name: 'a source behind a translation',
    check: 'addresses',
    break: () => (room.env['ALLOW_PRIVATE_MX'] = 'false'),
    status: 'warning',
    says: 'private address',
    fix: 'Received',
  },
  // -- reverse DNS
  {
    name: 'no PTR record',
    check: 'ptr',
    break: () => room.stage.dns.remove(REVERSE),
    status: 'error',
    says: 'no PTR record',
    fix: `${REVERSE}. PTR ${HOST}.`,
  },
  {
    name: 'a name that leads elsewhere',
    check: 'ptr',
    break: () => room.stage.dns.set(HOST, { A: [ELSEWHERE] }),
    status: 'error',
    says: 'does not lead back',
    fix: `${HOST}. A ${SOURCE}`,
  },
  {
    name: "the provider's standard name",
    check: 'ptr',
    break: () => {
      room.stage.dns.set(REVERSE, { PTR: ['static-10.isp.example'] });
      room.stage.dns.set('static-10.isp.example', { A: [SOURCE] });
    },
    status: 'warning',
    says: 'we greet with',
    fix: '"helo": "static-10.isp.example"',
  },
  {
    name: 'several PTR records',
    check: 'ptr',
    break: () => room.stage.dns.set(REVERSE, { PTR: [HOST, 'other.isp.example'] }),
    status: 'warning',
    says: '2 PTR records',
    fix: 'Keep one',
  },
  {
    name: 'IPv6 without a name',
    check: 'ptr',
    break: () => room.shape({ address: '::1' }),
    status: 'error',
    says: 'no PTR record',
    fix: /^1\.(0\.)+ip6\.arpa\. PTR .*\n[^]*only IPv4 addresses/,
  },
  {
    name: 'a greeting that leads elsewhere',
    check: 'ptr',
    break: () => room.shape({ address: SOURCE, helo: 'out.doctor.example' }),
    status: 'warning',
    says: 'does not exist',
    fix: `out.doctor.example. A ${SOURCE}`,
  },
  // -- DNS of the service
  {
    name: 'no smtp.',
    check: 'dns',
    break: () => room.stage.dns.remove(HOST),
    status: 'error',
    says: 'does not exist',
    fix: `${HOST}. A ${SOURCE}`,
  },
  {
    name: 'bounces. without MX',
    check: 'dns',
    break: () => room.stage.dns.set(`bounces.${SERVICE}`, {}),
    status: 'error',
    says: 'bounces get lost',
    fix: `bounces.${SERVICE}. MX 10 ${HOST}.`,
  },
  {
    name: 'bounces. leads elsewhere',
    check: 'dns',
    break: () => room.stage.dns.set(`bounces.${SERVICE}`, { MX: [{ preference: 1, exchange: 'mx.gmail.com' }] }),
    status: 'error',
    says: 'never arrive here',
    fix: `MX 10 ${HOST}.`,
  },
  {
    name: 'bounces. leads elsewhere first',
    check: 'dns',
    break: () => room.stage.dns.set(`bounces.${SERVICE}`, exchanges({ 5: 'mx.other.example', 10: HOST })),
    status: 'error',
    says: /^Its MX record leads to mx\.other\.example, which is not this service/,
    fix: `MX 10 ${HOST}.`,
  },
  {
    name: 'bounces. leads elsewhere as often as here',
    check: 'dns',
    break: () =>
      room.stage.dns.set(`bounces.${SERVICE}`, {
        MX: ['mx.other.example', HOST].map((exchange) => ({ preference: 10, exchange })),
      }),
    status: 'error',
    says: /^Its MX record leads to mx\.other\.example, which/,
    fix: `MX 10 ${HOST}.`,
  },
  {
    name: 'bounces. leads elsewhere while we are away',
    check: 'dns',
    break: () => room.stage.dns.set(`bounces.${SERVICE}`, exchanges({ 5: HOST, 10: 'mx.other.example' })),
    status: 'warning',
    says: 'while it does not answer to mx.other.example',
    fix: `Keep one MX record, senders try again: bounces.${SERVICE}. MX 10 ${HOST}.`,
  },
  {
    name: 'an MX host that is an alias',
    check: 'dns',
    break: () => {
      room.stage.dns.set('mx.doctor.example', { CNAME: HOST });
      room.stage.dns.set(`bounces.${SERVICE}`, exchanges({ 10: 'mx.doctor.example' }));
    },
    status: 'warning',
    says: /mx\.doctor\.example is an alias \(CNAME\), which RFC 2181/,
    fix: `bounces.${SERVICE}. MX 10 ${HOST}.`,
  },
  {
    name: 'smtp. is an alias',
    check: 'dns',
    break: () => {
      room.stage.dns.set('real.doctor.example', { A: [SOURCE] });
      room.stage.dns.set(HOST, { CNAME: 'real.doctor.example' });
    },
    status: 'warning',
    says: /is an alias \(CNAME\) of real\.doctor\.example\. Neither/,
    fix: `${HOST}. A ${SOURCE}`,
  },
  {
    name: 'the service domain without MX',
    check: 'dns',
    break: () => room.stage.dns.set(SERVICE, {}),
    status: 'error',
    says: 'cannot reach you',
    fix: `${SERVICE}. MX 10 ${HOST}.`,
  },
  {
    name: 'the service domain at another host',
    check: 'dns',
    break: () => room.stage.dns.set(SERVICE, { MX: [{ preference: 1, exchange: 'mx.gmail.com' }] }),
    status: 'warning',
    says: 'only if they are handed on',
    fix: `hand fbl@, abuse@, postmaster@, dmarc@ and tlsrpt@ over to ${HOST}`,
  },
  {
    name: 'no DMARC',
    check: 'dns',
    break: () => room.stage.dns.remove(`_dmarc.${SERVICE}`),
    status: 'error',
    says: 'no DMARC record',
    fix: `TXT "v=DMARC1; p=none; rua=mailto:dmarc@${SERVICE}"`,
  },
  {
    name: 'a broken DMARC record',
    check: 'dns',
    break: () => room.stage.dns.set(`_dmarc.${SERVICE}`, { TXT: ['v=DMARC1; p=nothing'] }),
    status: 'error',
    says: 'no valid policy',
    fix: '_dmarc',
  },
  {
    name: 'no permission for reports',
    check: 'dns',
    break: () => room.stage.dns.remove(`example.com._report._dmarc.${SERVICE}`),
    status: 'warning',
    says: 'no DMARC reports',
    fix: `*._report._dmarc.${SERVICE}. TXT "v=DMARC1;"`,
  },
  {
    name: 'no track.',
    check: 'dns',
    break: () => room.stage.dns.remove(`track.${SERVICE}`),
    status: 'warning',
    says: 'leads nowhere',
    fix: `CNAME ${HOST}.`,
  },
  {
    name: 'DNS does not say',
    check: 'dns',
    break: () => room.stage.dns.set(HOST, { fault: 'SERVFAIL' }),
    status: 'skipped',
    says: 'DNS did not say',
  },
  // -- SPF
  {
    name: 'no spf.',
    check: 'spf',
    break: () => room.stage.dns.remove(`spf.${SERVICE}`),
    status: 'error',
    says: 'no SPF record',
    fix: `spf.${SERVICE}. TXT "v=spf1 ip4:${SOURCE} -all"`,
  },
  {
    name: 'two SPF records',
    check: 'spf',
    break: () => room.stage.dns.set(`spf.${SERVICE}`, { TXT: ['v=spf1 -all', 'v=spf1 ~all'] }),
    status: 'error',
    says: '2 SPF records',
    fix: 'Keep one',
  },
  {
    name: 'an invalid SPF record',
    check: 'spf',
    break: () => room.stage.dns.set(`spf.${SERVICE}`, { TXT: ['v=spf1 ipv4:1.2.3.4 -all'] }),
    status: 'error',
    says: '"ipv4:1.2.3.4" is no valid term',
    fix: `ip4:${SOURCE}`,
  },
  {
    name: 'an address that is not in it',
    check: 'spf',
    break: () => room.stage.dns.set(`spf.${SERVICE}`, { TXT: ['v=spf1 ip4:127.0.0.9 -all'] }),
    status: 'error',
    says: `says fail to mail from ${SOURCE}`,
    fix: `"v=spf1 ip4:${SOURCE} ip4:127.0.0.9 -all"`,
  },
  {
    name: 'everybody may send',
    check: 'spf',
    break: () => room.stage.dns.set(SERVICE, { TXT: [`v=spf1 include:spf.${SERVICE} +all`] }),
    status: 'error',
    says: 'lets everybody',
    fix: '-all',
  },
  {
    name: 'no end',
    check: 'spf',
    break: () => room.stage.dns.set(SERVICE, { TXT: [`v=spf1 include:spf.${SERVICE}`] }),
    status: 'warning',
    says: 'says nothing of strangers',
    fix: '-all',
  },
  {
    name: 'too many look-ups',
    check: 'spf',
    break: () => room.stage.dns.set(`bounces.${SERVICE}`, { TXT: [`v=spf1 include:bounces.${SERVICE} -all`] }),
    status: 'error',
    says: 'more than 10 look-ups',
    fix: 'TXT',
  },
  {
    name: 'look-ups that customers pay',
    check: 'spf',
    break: () => room.stage.dns.set(`spf.${SERVICE}`, { TXT: [`v=spf1 a:${HOST} -all`] }),
    status: 'warning',
    says: 'costs every customer 1 more',
    fix: 'addresses only',
  },
  {
    name: 'names that lead to nothing',
    check: 'spf',
    break: () =>
      room.stage.dns.set(`bounces.${SERVICE}`, {
        TXT: [`v=spf1 a:a.example a:b.example a:c.example include:spf.${SERVICE} -all`],
      }),
    status: 'warning',
    says: '3 names in its SPF record lead to nothing',
    fix: 'Take them out',
  },
  {
    name: 'bounces. without SPF',
    check: 'spf',
    break: () => room.stage.dns.set(`bounces.${SERVICE}`, {}),
    status: 'error',
    says: 'no SPF record',
    fix: `bounces.${SERVICE}. TXT "v=spf1 include:spf.${SERVICE} -all"`,
  },
];

describe('one fault in what stands in DNS', () => {
  it.each(FAULTS.map((fault) => [fault.name, fault] as const))('%s', (_, fault) => room.expectNamed(fault));
});

describe('without a fault', () => {
  it.each(['name-servers', 'addresses', 'ptr', 'dns', 'spf'])('%s complains of nothing', async (check) => {
    expect(await room.complaints(check)).toEqual([]);
  });
});

describe('while DNS does not tell where an exchange leads', () => {
  const UNTOLD = { fault: 'SERVFAIL' } as const;
  const OTHER = 'mx.doctor.example';

  it.each([
    ['that comes first', OTHER, { 5: OTHER, 10: HOST }],
    ['that comes last', OTHER, { 5: HOST, 10: OTHER }],
    ['of ours, to compare with', HOST, { 10: OTHER }],
  ])('one %s, nobody is called a stranger', async (_, untold, hosts) => {
    room.stage.dns.set(OTHER, { A: [ELSEWHERE] });
    room.stage.dns.set(untold, UNTOLD);
    room.stage.dns.set(`bounces.${SERVICE}`, exchanges(hosts));
    const findings = await room.look('dns');
    expect(findings.filter(({ subject }) => subject === `bounces.${SERVICE}`)).toMatchObject([
      { status: 'skipped', message: expect.stringContaining(untold) as string },
    ]);
  });

  it('what is known of the others counts', async () => {
    room.stage.dns.set(OTHER, UNTOLD);
    room.stage.dns.set(`bounces.${SERVICE}`, exchanges({ 5: 'mx.other.example', 10: OTHER }));
    const findings = await room.look('dns');
    expect(findings.filter(({ subject }) => subject === `bounces.${SERVICE}`)).toMatchObject([
      { status: 'error', message: expect.stringContaining('leads to mx.other.example, which') as string },
    ]);
  });
});

/** Of this machine; where it has one, that is a source. */
const isOnInternet = Object.values(networkInterfaces()).some((some) =>
  some?.some(({ address }) => isPublicAddress(address)),
);

describe.skipIf(isOnInternet)('behind a translation of addresses', () => {
  beforeEach(() => {
    delete room.env['SHAPING_FILE'];
  });

  it('what DNS says of us is looked at, and that is said', async () => {
    room.stage.dns.set(`spf.${SERVICE}`, { TXT: ['v=spf1 ip4:127.0.0.10/32 ip4:127.0.0.11 ip4:127.0.1.0/24 -all'] });
    expect(await room.look('addresses')).toMatchObject([
      {
        status: 'ok',
        subject: '127.0.0.10, 127.0.0.11',
        message: expect.stringContaining('cannot be known') as string,
      },
    ]);
    expect((await room.look('ptr')).map(({ status, subject }) => [status, subject])).toEqual([
      ['ok', SOURCE],
      ['error', '127.0.0.11'],
    ]);
  });

  it('nothing is known when DNS says nothing either', async () => {
    room.stage.dns.remove(HOST);
    room.stage.dns.remove(`spf.${SERVICE}`);
    expect(await room.look('addresses')).toMatchObject([
      { status: 'error', fix: `${HOST}. A <the address that the world sees>` },
    ]);
    expect(await room.look('ptr')).toMatchObject([{ status: 'skipped' }]);
  });
});
