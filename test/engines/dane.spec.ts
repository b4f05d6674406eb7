import { createHash, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mail } from '../support/samples/mail.js';
import { policyFile, PolicyServer } from '../support/mail-servers/policy-server.js';
import { startStandalone, type RunningProgram } from '../support/services/program.js';
import { ScriptedMx, type MxScript } from '../support/mail-servers/scripted-mx.js';
import { selfSignedCertificate, testAuthority } from '../support/fixtures/self-signed-certificate.js';
import { until } from '../support/timing/until.js';
import { hasValidatingResolver, ValidatingResolver } from './validating-resolver.js';

interface Attempt {
  outcome: string;
  smtp: { enhanced: string | null; text: string; mx: string | null } | null;
  security: { verified: boolean; policy: string } | null;
  tls_policy: string | null;
}

const authority = testAuthority();
const own = selfSignedCertificate('nobody.example', true);
const stranger = selfSignedCertificate('stranger.signed');

/** `3 1 1 <hex>` of the first certificate of a PEM file. */
function tlsa(usage: number, pem: string): string {
  const key = new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'der' });
  return `${usage} 1 1 ${createHash('sha256').update(key).digest('hex')}`;
}

const SERVERS: Record<string, MxScript> = {
  // Expired and for another name: usage 3 (DANE-EE) checks neither.
  own: { tls: own },
  stranger: { tls: stranger },
  chained: { tls: authority.issue('mx0.chain-211.signed') },
  'chained-elsewhere': { tls: authority.issue('mx.elsewhere.signed') },
  plain: {},
  sts: { tls: authority.issue('mx0.sts-without-tlsa.signed') },
};

interface Case {
  /** `server` and the TLSA records at its name; the name is `mx.<server>.<case>` in the root or below `unsigned.` */
  hosts: {
    server: string;
    tlsa: string[];
    isUnsigned?: boolean;
    alias?: boolean;
    /** Where the TLSA records are, if not at the host: at an alias of their name, or at a wildcard above it. */
    tlsaAt?: 'alias' | 'unsigned alias' | 'wildcard';
  }[];
  isUnsigned?: boolean;
  /** In the zone with NSEC3. */
  isNsec3?: boolean;
  /** The MTA-STS policy in mode `enforce` names this server, or another one. */
  sts?: 'own' | 'other';
  /** The domain has no MX, and is its own host. */
  implicit?: boolean;
  /** How the first attempt ends. */
  ends: string;
}

const GOOD = tlsa(3, own.cert);
const MANY = Array.from({ length: 60 }, (_, i) => `3 1 1 ${createHash('sha256').update(String(i)).digest('hex')}`);

const CASES: Record<string, Case> = {
  'good-311': { hosts: [{ server: 'own', tlsa: [GOOD] }], ends: 'delivered dane verified' },
  'one-of-two-records': {
    hosts: [{ server: 'own', tlsa: [tlsa(3, stranger.cert), GOOD] }],
    ends: 'delivered dane verified',
  },
  'many-records': { hosts: [{ server: 'own', tlsa: [...MANY, GOOD] }], ends: 'delivered dane verified' },
  'wrong-hash': { hosts: [{ server: 'stranger', tlsa: [GOOD] }], ends: 'deferred dane 4.7.5' },
  'chain-211': { hosts: [{ server: 'chained', tlsa: [tlsa(2, authority.cert)] }], ends: 'delivered dane verified' },
  'chain-211-other-name': {
    hosts: [{ server: 'chained-elsewhere', tlsa: [tlsa(2, authority.cert)] }],
    ends: 'deferred dane 4.7.5',
  },
  'chain-211-other-authority': {
    hosts: [{ server: 'chained', tlsa: [tlsa(2, testAuthority().cert)] }],
    ends: 'deferred dane 4.7.5',
  },
  'no-starttls': { hosts: [{ server: 'plain', tlsa: [GOOD] }], ends: 'deferred dane 4.7.10' },
  unusable: { hosts: [{ server: 'stranger', tlsa: [tlsa(1, own.cert)] }], ends: 'delivered dane unverified' },
  'unusable-no-starttls': { hosts: [{ server: 'plain', tlsa: [tlsa(1, own.cert)] }], ends: 'deferred dane 4.7.10' },
  'no-tlsa': { hosts: [{ server: 'stranger', tlsa: [] }], ends: 'delivered opportunistic unverified' },
  'unsigned-domain': {
    hosts: [{ server: 'stranger', tlsa: [GOOD], isUnsigned: true }],
    isUnsigned: true,
    ends: 'delivered opportunistic unverified',
  },
  'unsigned-host': {
    hosts: [{ server: 'stranger', tlsa: [GOOD], isUnsigned: true }],
    ends: 'delivered opportunistic unverified',
  },
  'unsigned-domain-of-signed-host': {
    hosts: [{ server: 'stranger', tlsa: [GOOD] }],
    isUnsigned: true,
    ends: 'delivered opportunistic unverified',
  },
  'bogus-tlsa': { hosts: [{ server: 'own', tlsa: [GOOD] }], ends: 'deferred dane 4.4.3' },
  'bogus-mx': { hosts: [{ server: 'own', tlsa: [GOOD] }], ends: 'deferred null 4.4.3' },
  'aliased-host': { hosts: [{ server: 'own', tlsa: [GOOD], alias: true }], ends: 'delivered dane verified' },
  'second-host': {
    hosts: [
      { server: 'stranger', tlsa: [GOOD] },
      { server: 'own', tlsa: [GOOD] },
    ],
    ends: 'delivered dane verified',
  },
  'second-host-after-bogus': {
    hosts: [
      { server: 'stranger', tlsa: [GOOD] },
      { server: 'own', tlsa: [GOOD] },
    ],
    ends: 'delivered dane verified',
  },
  'nsec3-good': { hosts: [{ server: 'own', tlsa: [GOOD] }], isNsec3: true, ends: 'delivered dane verified' },
  'nsec3-wrong-hash': { hosts: [{ server: 'stranger', tlsa: [GOOD] }], isNsec3: true, ends: 'deferred dane 4.7.5' },
  'nsec3-no-tlsa': {
    hosts: [{ server: 'stranger', tlsa: [] }],
    isNsec3: true,
    ends: 'delivered opportunistic unverified',
  },
  'expired-tlsa': { hosts: [{ server: 'own', tlsa: [GOOD] }], ends: 'deferred dane 4.4.3' },
  'expired-mx': { hosts: [{ server: 'own', tlsa: [GOOD] }], ends: 'deferred null 4.4.3' },
  'wildcard-tlsa': { hosts: [{ server: 'own', tlsa: [GOOD], tlsaAt: 'wildcard' }], ends: 'delivered dane verified' },
  'wildcard-tlsa-wrong-hash': {
    hosts: [{ server: 'stranger', tlsa: [GOOD], tlsaAt: 'wildcard' }],
    ends: 'deferred dane 4.7.5',
  },
  'aliased-tlsa': { hosts: [{ server: 'own', tlsa: [GOOD], tlsaAt: 'alias' }], ends: 'delivered dane verified' },
  'aliased-tlsa-wrong-hash': {
    hosts: [{ server: 'stranger', tlsa: [GOOD], tlsaAt: 'alias' }],
    ends: 'deferred dane 4.7.5',
  },
  // The answer is not signed as a whole, so it proves nothing.
  'aliased-tlsa-unsigned': {
    hosts: [{ server: 'stranger', tlsa: [GOOD], tlsaAt: 'unsigned alias' }],
    ends: 'delivered opportunistic unverified',
  },
  // RFC 8461 section 2: DANE takes precedence, in both directions.
  'beside-sts': { hosts: [{ server: 'own', tlsa: [GOOD] }], sts: 'other', ends: 'delivered dane verified' },
  'beside-sts-wrong-hash': {
    hosts: [{ server: 'sts', tlsa: [GOOD] }],
    sts: 'own',
    ends: 'deferred dane 4.7.5',
  },
  'sts-without-tlsa': { hosts: [{ server: 'sts', tlsa: [] }], sts: 'own', ends: 'delivered sts verified' },
  'sts-without-tlsa-other': { hosts: [{ server: 'sts', tlsa: [] }], sts: 'other', ends: 'deferred sts 4.7.0' },
  'own-host': { hosts: [{ server: 'own', tlsa: [GOOD] }], implicit: true, ends: 'delivered dane verified' },
  'own-host-wrong-hash': {
    hosts: [{ server: 'stranger', tlsa: [GOOD] }],
    implicit: true,
    ends: 'deferred dane 4.7.5',
  },
};

/** The owner of the TLSA records of a host, and the alias that leads there. */
function placeOfRecords(
  { tlsaAt }: Case['hosts'][number],
  { base, port, name }: { base: string; port: number; name: string },
): { alias: string | null; owner: string; isUnsigned: boolean } {
  const plain = `_${port}._tcp.${base}`;
  if (tlsaAt === undefined) return { alias: null, owner: plain, isUnsigned: false };
  if (tlsaAt === 'wildcard') return { alias: null, owner: `*._tcp.${base}`, isUnsigned: false };
  const isUnsigned = tlsaAt === 'unsigned alias';
  const owner = `tlsa.${domainOf(name, { isUnsigned })}`;
  return { alias: `${plain} IN CNAME ${owner}`, owner, isUnsigned };
}

/** Zone lines of all cases by zone, with full names. */
function zones(addressOf: (server: string) => string, port: number): Record<ZoneName, string[]> {
  const lines: Record<ZoneName, string[]> = { signed: [], unsigned: [], nsec3: [] };
  for (const [name, { hosts, implicit = false, sts, ...one }] of Object.entries(CASES)) {
    const domain = domainOf(name, one);
    const own = lines[zoneOf(one)];
    if (sts !== undefined)
      own.push(`_mta-sts.${domain} IN TXT "v=STSv1; id=1;"`, `mta-sts.${domain} IN A ${POLICY_HOST}`);
    for (const [i, host] of hosts.entries()) {
      const place = { isUnsigned: host.isUnsigned, isNsec3: one.isNsec3 };
      const exchange = implicit ? domain : `mx${i}.${domainOf(name, place)}`;
      const zone = lines[zoneOf(place)];
      const base = host.alias === true ? `alias${i}.${domain}` : exchange;
      if (base !== exchange) zone.push(`${exchange} IN CNAME ${base}`);
      zone.push(`${base} IN A ${addressOf(host.server)}`);
      const { alias, owner, isUnsigned } = placeOfRecords(host, { base, port, name });
      if (alias !== null) zone.push(alias);
      (isUnsigned ? lines.unsigned : zone).push(...host.tlsa.map((record) => `${owner} IN TLSA ${record}`));
      if (!implicit) own.push(`${domain} IN MX ${i} ${exchange}`);
    }
  }
  return lines;
}

type ZoneName = 'signed' | 'unsigned' | 'nsec3';
const zoneOf = ({ isUnsigned, isNsec3 }: Pick<Case, 'isUnsigned' | 'isNsec3'>): ZoneName =>
  isUnsigned === true ? 'unsigned' : isNsec3 === true ? 'nsec3' : 'signed';
const domainOf = (name: string, place: Pick<Case, 'isUnsigned' | 'isNsec3'>) => `${name}.${zoneOf(place)}.`;
const POLICY_HOST = '127.0.8.100';
const isExpired = (signature: string): boolean =>
  /^_\d+\._tcp\.mx0\.expired-tlsa\..*\sRRSIG\s+TLSA\s|^expired-mx\.signed\.\s.*\sRRSIG\s+MX\s/.test(signature);

/** Modifies signed records, so that their signatures are invalid. */
function tamper(zone: string): string {
  return zone
    .split('\n')
    .map((line) => {
      if (/^_\d+\._tcp\.mx0\.(bogus-tlsa|second-host-after-bogus)\..*\sIN\sTLSA\s/.test(line))
        return line.replace(/.$/, forged);
      return /^bogus-mx\.signed\.\s.*\sIN\sMX\s/.test(line) ? line.replace(/MX\s+0/, 'MX\t9') : line;
    })
    .join('\n');
}

const forged = (digit: string): string => (digit === '0' ? '1' : '0');

describe.skipIf(!hasValidatingResolver() && process.env['POSTLOFT_REQUIRE_ENGINES'] !== '1')(
  'DANE with a resolver that checks signatures',
  () => {
    const mxs = new Map<string, ScriptedMx>();
    let resolver: ValidatingResolver;
    let policies: PolicyServer;
    const folder = mkdtempSync(join(tmpdir(), 'postloft-dane-'));
    let program: RunningProgram;

    beforeAll(async () => {
      writeFileSync(join(folder, 'authority.pem'), authority.cert);
      let port = 0;
      for (const [i, server] of Object.keys(SERVERS).entries()) {
        const mx = await ScriptedMx.start({ ...SERVERS[server], host: `127.0.8.${i + 1}`, port });
        ({ port } = mx);
        mxs.set(server, mx);
      }
      const addressOf = (server: string) => `127.0.8.${Object.keys(SERVERS).indexOf(server) + 1}`;
      resolver = await ValidatingResolver.start({ ...zones(addressOf, port), isExpired, tamper });
      policies = await PolicyServer.start(authority, { host: POLICY_HOST });
      for (const [name, { sts }] of Object.entries(CASES))
        if (sts !== undefined) {
          const domain = `${name}.signed`;
          policies.set(domain, { body: policyFile('enforce', sts === 'own' ? `mx0.${domain}` : 'mx.other.signed') });
        }
      program = await startStandalone({
        DELIVERY_MODE: 'mx',
        MX_PORT: String(port),
        ALLOW_PRIVATE_MX: 'true',
        DNS_SERVERS: resolver.address,
        MTA_STS_PORT: String(policies.port),
        NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem'),
        DELIVERY_RETRY_SCHEDULE: '1h',
      });
    });
    afterAll(async () => {
      await program?.stop();
      await Promise.all([...mxs.values()].map((mx) => mx.close()));
      await policies?.close();
      await resolver?.close();
      program?.clean();
      rmSync(folder, { recursive: true, force: true });
    });

    async function attemptAt(to: string): Promise<Attempt> {
      const { id } = (await (await program.call('POST', '/emails', mail({ to }))).json()) as { id: string };
      return until(
        async () => {
          const shown = await program.call('GET', `/emails/${id}/attempts`);
          return ((await shown.json()) as { data: Attempt[] }).data[0] ?? null;
        },
        { what: `an attempt for ${to}` },
      );
    }

    it('is on, and says so in the log and in the metrics', async () => {
      expect(program.output()).toMatch(/DANE is on: the resolver 127\.0\.0\.1:\d+ checks signatures/);
      expect(await (await fetch(`${program.url}/metrics`)).text()).toMatch(/^postloft_dane_enabled 1$/m);
    });

    it('every host is spoken to as its zone promises, and no mail goes out under less than that', async () => {
      const names = Object.keys(CASES);
      const attempts = await Promise.all(
        names.map((name) => attemptAt(`a@${domainOf(name, CASES[name]).replace(/\.$/, '')}`)),
      );
      const ends = attempts.map(({ outcome, security, tls_policy, smtp }, i) => {
        if (outcome !== 'delivered') return [names[i], `${outcome} ${tls_policy} ${smtp?.enhanced}`];
        const line =
          security === null ? 'plain' : `${security.policy} ${security.verified ? 'verified' : 'unverified'}`;
        return [names[i], `delivered ${line}`];
      });
      expect(ends).toEqual(names.map((name) => [name, CASES[name].ends]));
      // No downgrade: nothing in the clear, and no deferred mail was transmitted.
      const taken = [...mxs.values()].flatMap((mx) => mx.mails);
      expect(taken.filter(({ tls }) => !tls)).toEqual([]);
      expect(taken).toHaveLength(names.filter((name) => CASES[name].ends.startsWith('delivered')).length);
      expect(attempts[names.indexOf('second-host')].smtp?.mx).toBe('mx1.second-host.signed');
      expect(attempts[names.indexOf('wrong-hash')].smtp?.text).toContain('no TLSA record matches the certificate');
    });

    it('can be switched off', async () => {
      await program.stop();
      program = await program.restart({ DANE: 'off' });
      expect(program.output()).toContain('DANE is off: it is switched off.');
      const { outcome, tls_policy } = await attemptAt('b@wrong-hash.signed');
      expect([outcome, tls_policy]).toEqual(['delivered', 'opportunistic']);
    });
  },
);
