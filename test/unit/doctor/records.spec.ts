import { networkInterfaces } from 'node:os';
import { isPublicAddress } from '#libs/kernel';
import { beforeEach, describe, expect, it } from 'vitest';
import { useDoctorFixture, type Fault } from '../../support/doctor/doctor-fixture.js';
import { HOST, REVERSE, SERVICE, SOURCE } from '../../support/doctor/doctor-network.js';
import { freePorts } from '../../support/services/ports.js';

/** No server listens there. */
const ELSEWHERE = '127.0.0.99';

const fixture = useDoctorFixture();

/** MX records by preference. */
const exchanges = (hosts: Record<number, string>) => ({
  MX: Object.entries(hosts).map(([preference, exchange]) => ({ preference: Number(preference), exchange })),
});

const FAULTS: Fault[] = [
  // -- name servers
  {
    name: 'a name server that is down',
    check: 'name-servers',
    break: async () =>
      (fixture.env['DNS_SERVERS'] = `${fixture.network.dns.address},127.0.0.1:${(await freePorts(1))[0]}`),
    status: 'error',
    message: 'does not answer',
    fix: 'DNS_SERVERS',
    limitMs: 9_000,
  },
  {
    name: 'a name server that answers for names that do not exist',
    check: 'name-servers',
    break: () => (fixture.network.dns.lie = '192.0.2.80'),
    status: 'error',
    message: 'which does not exist',
    fix: 'unbound',
  },
  // -- source addresses
  {
    name: 'a source that this machine does not have',
    check: 'addresses',
    break: () => fixture.setSources({ address: '192.0.2.77' }),
    status: 'error',
    message: 'does not have it',
    fix: 'ip address add 192.0.2.77/32',
  },
  {
    name: 'a private source address',
    check: 'addresses',
    break: () => (fixture.env['ALLOW_PRIVATE_MX'] = 'false'),
    status: 'warning',
    message: 'private address',
    fix: 'Received',
  },
  // -- reverse DNS
  {
    name: 'no PTR record',
    check: 'ptr',
    break: () => fixture.network.dns.remove(REVERSE),
    status: 'error',
    message: 'no PTR record',
    fix: `${REVERSE}. PTR ${HOST}.`,
  },
  {
    name: 'a PTR name that does not resolve to the address',
    check: 'ptr',
    break: () => fixture.network.dns.set(HOST, { A: [ELSEWHERE] }),
    status: 'error',
    message: 'does not lead back',
    fix: `${HOST}. A ${SOURCE}`,
  },
  {
    name: "the provider's standard name",
    check: 'ptr',
    break: () => {
      fixture.network.dns.set(REVERSE, { PTR: ['static-10.isp.example'] });
      fixture.network.dns.set('static-10.isp.example', { A: [SOURCE] });
    },
    status: 'warning',
    message: 'we greet with',
    fix: '"helo": "static-10.isp.example"',
  },
  {
    name: 'several PTR records',
    check: 'ptr',
    break: () => fixture.network.dns.set(REVERSE, { PTR: [HOST, 'other.isp.example'] }),
    status: 'warning',
    message: '2 PTR records',
    fix: 'Keep one',
  },
  {
    name: 'an IPv6 address without a PTR record',
    check: 'ptr',
    break: () => fixture.setSources({ address: '::1' }),
    status: 'error',
    message: 'no PTR record',
    fix: /^1\.(0\.)+ip6\.arpa\. PTR .*\n[^]*only IPv4 addresses/,
  },
  {
    name: 'a name in EHLO without an address',
    check: 'ptr',
    break: () => fixture.setSources({ address: SOURCE, helo: 'out.doctor.example' }),
    status: 'warning',
    message: 'does not exist',
    fix: `out.doctor.example. A ${SOURCE}`,
  },
  // -- DNS of the service
  {
    name: 'no smtp.',
    check: 'dns',
    break: () => fixture.network.dns.remove(HOST),
    status: 'error',
    message: 'does not exist',
    fix: `${HOST}. A ${SOURCE}`,
  },
  {
    name: 'bounces. without MX',
    check: 'dns',
    break: () => fixture.network.dns.set(`bounces.${SERVICE}`, {}),
    status: 'error',
    message: 'bounces get lost',
    fix: `bounces.${SERVICE}. MX 10 ${HOST}.`,
  },
  {
    name: 'bounces. with a foreign MX host',
    check: 'dns',
    break: () => fixture.network.dns.set(`bounces.${SERVICE}`, { MX: [{ preference: 1, exchange: 'mx.gmail.com' }] }),
    status: 'error',
    message: 'never arrive here',
    fix: `MX 10 ${HOST}.`,
  },
  {
    name: 'bounces. with a foreign MX host of higher preference',
    check: 'dns',
    break: () => fixture.network.dns.set(`bounces.${SERVICE}`, exchanges({ 5: 'mx.other.example', 10: HOST })),
    status: 'error',
    message: /^Its MX record leads to mx\.other\.example, which is not this service/,
    fix: `MX 10 ${HOST}.`,
  },
  {
    name: 'bounces. with a foreign MX host of equal preference',
    check: 'dns',
    break: () =>
      fixture.network.dns.set(`bounces.${SERVICE}`, {
        MX: ['mx.other.example', HOST].map((exchange) => ({ preference: 10, exchange })),
      }),
    status: 'error',
    message: /^Its MX record leads to mx\.other\.example, which/,
    fix: `MX 10 ${HOST}.`,
  },
  {
    name: 'bounces. with a foreign MX host of lower preference',
    check: 'dns',
    break: () => fixture.network.dns.set(`bounces.${SERVICE}`, exchanges({ 5: HOST, 10: 'mx.other.example' })),
    status: 'warning',
    message: 'while it does not answer to mx.other.example',
    fix: `Keep one MX record, senders try again: bounces.${SERVICE}. MX 10 ${HOST}.`,
  },
  {
    name: 'an MX host that is an alias',
    check: 'dns',
    break: () => {
      fixture.network.dns.set('mx.doctor.example', { CNAME: HOST });
      fixture.network.dns.set(`bounces.${SERVICE}`, exchanges({ 10: 'mx.doctor.example' }));
    },
    status: 'warning',
    message: /mx\.doctor\.example is an alias \(CNAME\), which RFC 2181/,
    fix: `bounces.${SERVICE}. MX 10 ${HOST}.`,
  },
  {
    name: 'smtp. is an alias',
    check: 'dns',
    break: () => {
      fixture.network.dns.set('real.doctor.example', { A: [SOURCE] });
      fixture.network.dns.set(HOST, { CNAME: 'real.doctor.example' });
    },
    status: 'warning',
    message: /is an alias \(CNAME\) of real\.doctor\.example\. Neither/,
    fix: `${HOST}. A ${SOURCE}`,
  },
  {
    name: 'the service domain without MX',
    check: 'dns',
    break: () => fixture.network.dns.set(SERVICE, {}),
    status: 'error',
    message: 'cannot reach you',
    fix: `${SERVICE}. MX 10 ${HOST}.`,
  },
  {
    name: 'the service domain with a foreign MX host',
    check: 'dns',
    break: () => fixture.network.dns.set(SERVICE, { MX: [{ preference: 1, exchange: 'mx.gmail.com' }] }),
    status: 'warning',
    message: 'only if they are handed on',
    fix: `hand fbl@, abuse@, postmaster@, dmarc@ and tlsrpt@ over to ${HOST}`,
  },
  {
    name: 'no DMARC',
    check: 'dns',
    break: () => fixture.network.dns.remove(`_dmarc.${SERVICE}`),
    status: 'error',
    message: 'no DMARC record',
    fix: `TXT "v=DMARC1; p=none; rua=mailto:dmarc@${SERVICE}"`,
  },
  {
    name: 'a broken DMARC record',
    check: 'dns',
    break: () => fixture.network.dns.set(`_dmarc.${SERVICE}`, { TXT: ['v=DMARC1; p=nothing'] }),
    status: 'error',
    message: 'no valid policy',
    fix: '_dmarc',
  },
  {
    name: 'no permission for DMARC reports',
    check: 'dns',
    break: () => fixture.network.dns.remove(`example.com._report._dmarc.${SERVICE}`),
    status: 'warning',
    message: 'no DMARC reports',
    fix: `*._report._dmarc.${SERVICE}. TXT "v=DMARC1;"`,
  },
  {
    name: 'no track.',
    check: 'dns',
    break: () => fixture.network.dns.remove(`track.${SERVICE}`),
    status: 'warning',
    message: 'leads nowhere',
    fix: `CNAME ${HOST}.`,
  },
  {
    name: 'a DNS query that fails',
    check: 'dns',
    break: () => fixture.network.dns.set(HOST, { fault: 'SERVFAIL' }),
    status: 'skipped',
    message: 'DNS did not say',
  },
  // -- SPF
  {
    name: 'no spf.',
    check: 'spf',
    break: () => fixture.network.dns.remove(`spf.${SERVICE}`),
    status: 'error',
    message: 'no SPF record',
    fix: `spf.${SERVICE}. TXT "v=spf1 ip4:${SOURCE} -all"`,
  },
  {
    name: 'two SPF records',
    check: 'spf',
    break: () => fixture.network.dns.set(`spf.${SERVICE}`, { TXT: ['v=spf1 -all', 'v=spf1 ~all'] }),
    status: 'error',
    message: '2 SPF records',
    fix: 'Keep one',
  },
  {
    name: 'an invalid SPF record',
    check: 'spf',
    break: () => fixture.network.dns.set(`spf.${SERVICE}`, { TXT: ['v=spf1 ipv4:1.2.3.4 -all'] }),
    status: 'error',
    message: '"ipv4:1.2.3.4" is no valid term',
    fix: `ip4:${SOURCE}`,
  },
  {
    name: 'an SPF record without the source address',
    check: 'spf',
    break: () => fixture.network.dns.set(`spf.${SERVICE}`, { TXT: ['v=spf1 ip4:127.0.0.9 -all'] }),
    status: 'error',
    message: `says fail to mail from ${SOURCE}`,
    fix: `"v=spf1 ip4:${SOURCE} ip4:127.0.0.9 -all"`,
  },
  {
    name: 'an SPF record with +all',
    check: 'spf',
    break: () => fixture.network.dns.set(SERVICE, { TXT: [`v=spf1 include:spf.${SERVICE} +all`] }),
    status: 'error',
    message: 'lets everybody',
    fix: '-all',
  },
  {
    name: 'an SPF record without -all',
    check: 'spf',
    break: () => fixture.network.dns.set(SERVICE, { TXT: [`v=spf1 include:spf.${SERVICE}`] }),
    status: 'warning',
    message: 'says nothing of strangers',
    fix: '-all',
  },
  {
    name: 'too many SPF lookups',
    check: 'spf',
    break: () => fixture.network.dns.set(`bounces.${SERVICE}`, { TXT: [`v=spf1 include:bounces.${SERVICE} -all`] }),
    status: 'error',
    message: 'more than 10 look-ups',
    fix: 'TXT',
  },
  {
    name: 'SPF lookups at the cost of customers',
    check: 'spf',
    break: () => fixture.network.dns.set(`spf.${SERVICE}`, { TXT: [`v=spf1 a:${HOST} -all`] }),
    status: 'warning',
    message: 'costs every customer 1 more',
    fix: 'addresses only',
  },
  {
    name: 'too many void SPF lookups',
    check: 'spf',
    break: () =>
      fixture.network.dns.set(`bounces.${SERVICE}`, {
        TXT: [`v=spf1 a:a.example a:b.example a:c.example include:spf.${SERVICE} -all`],
      }),
    status: 'warning',
    message: '3 names in its SPF record lead to nothing',
    fix: 'Take them out',
  },
  {
    name: 'bounces. without SPF',
    check: 'spf',
    break: () => fixture.network.dns.set(`bounces.${SERVICE}`, {}),
    status: 'error',
    message: 'no SPF record',
    fix: `bounces.${SERVICE}. TXT "v=spf1 include:spf.${SERVICE} -all"`,
  },
];

describe('one fault of the DNS records', () => {
  it.each(FAULTS.map((fault) => [fault.name, fault] as const))('%s', (_, fault) => fixture.expectReported(fault));
});

describe('without a fault', () => {
  it.each(['name-servers', 'addresses', 'ptr', 'dns', 'spf'])('%s reports no problem', async (check) => {
    expect(await fixture.problems(check)).toEqual([]);
  });
});

describe('while DNS does not answer for an MX host', () => {
  const FAILURE = { fault: 'SERVFAIL' } as const;
  const OTHER = 'mx.doctor.example';

  it.each([
    ['of higher preference', OTHER, { 5: OTHER, 10: HOST }],
    ['of lower preference', OTHER, { 5: HOST, 10: OTHER }],
    ['of ours, to compare with', HOST, { 10: OTHER }],
  ])('one %s, no host is reported as foreign', async (_, failing, hosts) => {
    fixture.network.dns.set(OTHER, { A: [ELSEWHERE] });
    fixture.network.dns.set(failing, FAILURE);
    fixture.network.dns.set(`bounces.${SERVICE}`, exchanges(hosts));
    const findings = await fixture.run('dns');
    expect(findings.filter(({ subject }) => subject === `bounces.${SERVICE}`)).toMatchObject([
      { status: 'skipped', message: expect.stringContaining(failing) as string },
    ]);
  });

  it('a host that is known to be foreign is reported', async () => {
    fixture.network.dns.set(OTHER, FAILURE);
    fixture.network.dns.set(`bounces.${SERVICE}`, exchanges({ 5: 'mx.other.example', 10: OTHER }));
    const findings = await fixture.run('dns');
    expect(findings.filter(({ subject }) => subject === `bounces.${SERVICE}`)).toMatchObject([
      { status: 'error', message: expect.stringContaining('leads to mx.other.example, which') as string },
    ]);
  });
});

/** A public address of this machine would be a source address. */
const isOnInternet = Object.values(networkInterfaces()).some((some) =>
  some?.some(({ address }) => isPublicAddress(address)),
);

describe.skipIf(isOnInternet)('behind NAT', () => {
  beforeEach(() => {
    delete fixture.env['SHAPING_FILE'];
  });

  it('the addresses in our DNS records are checked instead, and the report says so', async () => {
    fixture.network.dns.set(`spf.${SERVICE}`, {
      TXT: ['v=spf1 ip4:127.0.0.10/32 ip4:127.0.0.11 ip4:127.0.1.0/24 -all'],
    });
    expect(await fixture.run('addresses')).toMatchObject([
      {
        status: 'ok',
        subject: '127.0.0.10, 127.0.0.11',
        message: expect.stringContaining('cannot be known') as string,
      },
    ]);
    expect((await fixture.run('ptr')).map(({ status, subject }) => [status, subject])).toEqual([
      ['ok', SOURCE],
      ['error', '127.0.0.11'],
    ]);
  });

  it('no source address is known when DNS has none either', async () => {
    fixture.network.dns.remove(HOST);
    fixture.network.dns.remove(`spf.${SERVICE}`);
    expect(await fixture.run('addresses')).toMatchObject([
      { status: 'error', fix: `${HOST}. A <the address that the world sees>` },
    ]);
    expect(await fixture.run('ptr')).toMatchObject([{ status: 'skipped' }]);
  });
});
