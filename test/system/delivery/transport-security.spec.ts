import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { policyFile, PolicyServer, type PolicyAnswer } from '../../support/mail-servers/policy-server.js';
import type { MxScript, ScriptedMx } from '../../support/mail-servers/scripted-mx.js';
import { authorityOf, selfSignedCertificate, type Authority } from '../../support/fixtures/self-signed-certificate.js';
import { MailNetwork } from '../../support/services/mail-network.js';
import { vouch, type ServiceAccount } from '../../support/services/service-client.js';
import { until } from '../../support/timing/until.js';

interface Attempt {
  outcome: string;
  phase: string | null;
  smtp: { enhanced: string | null; text: string; mx: string | null } | null;
  security: { version: string; cipher: string | null; verified: boolean; policy: string } | null;
  tls_policy: string | null;
}

const ZONE = 'transport-security.test';
const nameOf = (kind: string) => `mx.${kind.replaceAll('_', '-')}.hosts.${ZONE}`;
/** A domain that publishes no policy. */
const plainDomain = (kind: string) => `${kind.replaceAll('_', '-')}.plain.${ZONE}`;
/** A domain of the table of policies. */
const stsDomain = (name: string) => `${name}.${ZONE}`;

/** Receiving servers, each with its own name and address. */
function serversOf(authority: Authority) {
  const good = (kind: string) => authority.issue(nameOf(kind));
  return {
    good: { tls: good('good') },
    self_signed: { tls: selfSignedCertificate(nameOf('self_signed')) },
    expired: { tls: authority.issue(nameOf('expired'), true) },
    name_in_subject: { tls: authority.issueBySubject(nameOf('name_in_subject')) },
    other_name: { tls: authority.issue('elsewhere.test') },
    stripped: {},
    breaking: { tls: good('breaking'), on: { starttls: { reply: '220 go', then: 'close' } } },
    hanging: { extensions: ['STARTTLS'], on: { starttls: '220 go' } },
    injecting: { tls: good('injecting'), on: { starttls: { raw: '220 go\r\n250-injected\r\n250 PIPELINING\r\n' } } },
  } satisfies Record<Kind, MxScript>;
}
const KINDS = [
  'good',
  'self_signed',
  'expired',
  'name_in_subject',
  'other_name',
  'stripped',
  'breaking',
  'hanging',
  'injecting',
] as const;
type Kind = (typeof KINDS)[number];
/** Servers whose connections a third party can read or modify. */
const UNSAFE: readonly Kind[] = KINDS.filter((kind) => kind !== 'good' && kind !== 'injecting');

/** MTA-STS: the servers, the published policy and the outcome. */
const STS: Record<string, { mx: Kind[]; texts?: string[]; answer: PolicyAnswer; ends: string }> = {
  'in-force': { mx: ['good'], answer: { body: policyFile('enforce', nameOf('good')) }, ends: 'sts' },
  'in-force-wildcard': { mx: ['good'], answer: { body: policyFile('enforce', `*.good.hosts.${ZONE}`) }, ends: 'sts' },
  'in-force-one-of-two': {
    mx: ['self_signed', 'good'],
    answer: { body: policyFile('enforce', nameOf('good')) },
    ends: 'sts',
  },
  ...Object.fromEntries(
    UNSAFE.map((kind) => [
      `in-force-${kind.replaceAll('_', '-')}`,
      { mx: [kind], answer: { body: policyFile('enforce', nameOf(kind)) }, ends: 'deferred' },
    ]),
  ),
  'in-force-other-mx': { mx: ['good'], answer: { body: policyFile('enforce', 'mx.other.test') }, ends: 'deferred' },
  'in-test': { mx: ['self_signed'], answer: { body: policyFile('testing', nameOf('good')) }, ends: 'sts_testing' },
  'in-test-stripped': { mx: ['stripped'], answer: { body: policyFile('testing', nameOf('stripped')) }, ends: 'plain' },
  'no-mode': { mx: ['self_signed'], answer: { body: policyFile('none') }, ends: 'opportunistic' },
  redirect: {
    mx: ['self_signed'],
    answer: { status: 301, headers: { location: `https://mta-sts.${stsDomain('in-force')}/.well-known/mta-sts.txt` } },
    ends: 'opportunistic',
  },
  'not-found': { mx: ['self_signed'], answer: { status: 404 }, ends: 'opportunistic' },
  'too-large': {
    mx: ['self_signed'],
    answer: { body: policyFile('enforce', 'a.test') + 'x: y\r\n'.repeat(11_000) },
    ends: 'opportunistic',
  },
  html: {
    mx: ['self_signed'],
    answer: { body: policyFile('enforce', 'a.test'), headers: { 'content-type': 'text/html' } },
    ends: 'opportunistic',
  },
  malformed: { mx: ['self_signed'], answer: { body: 'version: STSv1\r\nmode: enforce\r\n' }, ends: 'opportunistic' },
  untrusted: {
    mx: ['self_signed'],
    answer: {
      body: policyFile('enforce', 'a.test'),
      certificate: selfSignedCertificate(`mta-sts.${stsDomain('untrusted')}`),
    },
    ends: 'opportunistic',
  },
  'two-records': {
    mx: ['self_signed'],
    texts: ['v=STSv1; id=1;', 'v=STSv1; id=2;'],
    answer: { body: policyFile('enforce', 'a.test') },
    ends: 'opportunistic',
  },
  'no-record': {
    mx: ['self_signed'],
    texts: [],
    answer: { body: policyFile('enforce', 'a.test') },
    ends: 'opportunistic',
  },
};

describe('how connections to other servers are secured', () => {
  const mxs = new Map<Kind, ScriptedMx>();
  const addresses = new Map<Kind, string>();
  let network: MailNetwork<ServiceAccount>;
  let program: ServiceAccount;
  let policies: PolicyServer;
  let enforced: string;

  beforeAll(async () => {
    network = await MailNetwork.open('delivery', [ZONE]);
    program = network.sender;
    const authority = authorityOf(program.authority);
    const servers = serversOf(authority);
    for (const kind of KINDS) {
      const address = network.nextAddress();
      mxs.set(kind, await network.mailServerAt(address, servers[kind]));
      addresses.set(kind, address);
      network.dns.set(nameOf(kind), { A: [address] });
      network.dns.set(plainDomain(kind), { MX: [{ preference: 10, exchange: nameOf(kind) }] });
    }
    policies = await PolicyServer.start(authority, { host: network.nextAddress(), port: program.policyPort });
    for (const [name, { mx, texts = ['v=STSv1; id=1;'], answer }] of Object.entries(STS)) {
      const domain = stsDomain(name);
      network.dns.set(domain, { MX: mx.map((kind, at) => ({ preference: at, exchange: nameOf(kind) })) });
      network.dns.set(`_mta-sts.${domain}`, { TXT: texts });
      network.dns.set(`mta-sts.${domain}`, { A: [policies.host] });
      policies.set(domain, answer);
    }
    enforced = `strict.${program.domain}`;
    const domainId = await vouch(program, program.id, enforced);
    expect((await program.call('PATCH', `/domains/${domainId}`, { tls: 'enforced' })).status).toBe(200);
  });
  afterAll(async () => {
    await policies?.close();
    await network?.close();
  });

  /** Sends one mail and waits for its first attempt. */
  async function attemptAt(to: string, from = program.domain): Promise<Attempt> {
    const sent = await program.call('POST', '/emails', program.mail({ to, from: `Shop <orders@${from}>` }));
    expect(sent.status).toBe(201);
    const { id } = (await sent.json()) as { id: string };
    return until(
      async () => {
        const shown = await program.call('GET', `/emails/${id}/attempts`);
        return ((await shown.json()) as { data: Attempt[] }).data.at(-1) ?? null;
      },
      { what: `an attempt for ${to}` },
    );
  }

  const plainFor = (local: string) =>
    [...mxs.values()].flatMap((mx) =>
      mx.mails.filter(({ tls, recipients }) => !tls && recipients[0]?.startsWith(local)),
    );

  it('opportunistic mail is delivered despite broken TLS, and each attempt records the security', async () => {
    const attempts = await Promise.all(KINDS.map((kind) => attemptAt(`open@${plainDomain(kind)}`)));
    const shown = attempts.map(({ outcome, security, tls_policy }, i) => [
      KINDS[i],
      outcome,
      security === null ? 'plain' : `${security.version} ${security.verified ? 'verified' : 'unverified'}`,
      tls_policy,
    ]);
    expect(shown).toEqual([
      ['good', 'delivered', 'TLSv1.3 verified', 'opportunistic'],
      ['self_signed', 'delivered', 'TLSv1.3 unverified', 'opportunistic'],
      ['expired', 'delivered', 'TLSv1.3 unverified', 'opportunistic'],
      ['name_in_subject', 'delivered', 'TLSv1.3 unverified', 'opportunistic'],
      ['other_name', 'delivered', 'TLSv1.3 unverified', 'opportunistic'],
      ['stripped', 'delivered', 'plain', 'opportunistic'],
      ['breaking', 'delivered', 'plain', 'opportunistic'],
      ['hanging', 'delivered', 'plain', 'opportunistic'],
      ['injecting', 'delivered', 'TLSv1.3 verified', 'opportunistic'],
    ]);
    expect(attempts[0].security?.cipher).toMatch(/^TLS_[A-Z0-9_]+$/);
  });

  it('enforced mail goes only to servers with a valid certificate, over separate connections, and the reason for waiting is recorded', async () => {
    const attempts = await Promise.all(KINDS.map((kind) => attemptAt(`strict@${plainDomain(kind)}`, enforced)));
    const ends = attempts.map(({ outcome }, i) => [KINDS[i], outcome]);
    expect(ends).toEqual(KINDS.map((kind) => [kind, UNSAFE.includes(kind) ? 'deferred' : 'delivered']));
    expect(plainFor('strict@')).toEqual([]);
    for (const [i, kind] of KINDS.entries()) {
      const { security, tls_policy, smtp } = attempts[i];
      expect(tls_policy).toBe('enforced');
      if (!UNSAFE.includes(kind)) expect(security).toMatchObject({ verified: true, policy: 'enforced' });
      else expect(smtp).toMatchObject({ enhanced: kind === 'stripped' ? '4.7.10' : '4.7.5', mx: nameOf(kind) });
    }
    const [words] = attempts.filter((_, i) => KINDS[i] === 'expired').map(({ smtp }) => smtp?.text);
    expect(words).toContain(
      `${nameOf('expired')} (${addresses.get('expired')}): the certificate is expired; the domain of the sender`,
    );
  });

  it('MTA-STS: mail conforms to a policy in force or waits; without one it is delivered', async () => {
    const names = Object.keys(STS);
    const attempts = await Promise.all(names.map((name) => attemptAt(`sts@${stsDomain(name)}`)));
    const ends = attempts.map(({ outcome, security }, i) => {
      if (outcome === 'deferred') return [names[i], 'deferred'];
      return [names[i], security === null ? 'plain' : security.policy];
    });
    expect(ends).toEqual(names.map((name) => [name, STS[name].ends]));
    const waiting = attempts.filter(({ outcome }) => outcome === 'deferred');
    expect(waiting.map(({ smtp }) => smtp?.enhanced)).toSatisfy((codes: string[]) =>
      codes.every((code) => code.startsWith('4.7.')),
    );
    const refused = attempts[names.indexOf('in-force-other-mx')];
    expect(refused.smtp?.text).toContain(
      `the MTA-STS policy of ${stsDomain('in-force-other-mx')} does not name the MX mx.good`,
    );
    // The only mail in the clear is the one whose policy is in testing mode.
    expect(plainFor('sts@').map(({ recipients }) => recipients[0])).toEqual([`sts@${stsDomain('in-test-stripped')}`]);
    expect(policies.count(stsDomain('in-force'))).toBe(1);
  });

  it('logs at the start why DANE is off', () => {
    expect(program.output()).toMatch(/DANE is off: the resolver 127\.0\.0\.1:\d+ does not check signatures/);
  });
});
