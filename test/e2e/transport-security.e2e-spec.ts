import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LocalDns } from '../support/local-dns.js';
import { mail } from '../support/mail.js';
import { policyFile, PolicyServer, type PolicyAnswer } from '../support/policy-server.js';
import { startStandalone, type RunningProgram } from '../support/program.js';
import { ScriptedMx, type MxScript } from '../support/scripted-mx.js';
import { selfSignedCertificate, testAuthority } from '../support/self-signed-certificate.js';
import { until } from '../support/until.js';

interface Attempt {
  outcome: string;
  phase: string | null;
  smtp: { enhanced: string | null; text: string; mx: string | null } | null;
  security: { version: string; cipher: string | null; verified: boolean; policy: string } | null;
  tls_policy: string | null;
}

const authority = testAuthority();
const nameOf = (kind: string) => `mx.${kind.replaceAll('_', '-')}.hosts.test`;
const good = (kind: string) => authority.issue(nameOf(kind));

/** The servers of the promises' row R-30, each under a name and an address of its own. */
const SERVERS: Record<string, MxScript> = {
  good: { tls: good('good') },
  self_signed: { tls: selfSignedCertificate(nameOf('self_signed')) },
  expired: { tls: authority.issue(nameOf('expired'), true) },
  name_in_subject: { tls: authority.issueBySubject(nameOf('name_in_subject')) },
  other_name: { tls: authority.issue('elsewhere.test') },
  stripped: {},
  breaking: { tls: good('breaking'), on: { starttls: { reply: '220 go', then: 'close' } } },
  hanging: { extensions: ['STARTTLS'], on: { starttls: '220 go' } },
  injecting: { tls: good('injecting'), on: { starttls: { raw: '220 go\r\n250-injected\r\n250 PIPELINING\r\n' } } },
};
const KINDS = Object.keys(SERVERS);
/** Those that let a stranger's line be read or changed. */
const UNSAFE = KINDS.filter((kind) => kind !== 'good' && kind !== 'injecting');

const OPPORTUNISTIC = 'sandbox.postloft.test';
const ENFORCED = 'strict.postloft.test';

/** MTA-STS: which server, what its domain publishes, and how the mail ends. */
const STS: Record<string, { mx: string[]; texts?: string[]; answer: PolicyAnswer; ends: string }> = {
  'in-force': { mx: ['good'], answer: { body: policyFile('enforce', nameOf('good')) }, ends: 'sts' },
  'in-force-wildcard': { mx: ['good'], answer: { body: policyFile('enforce', '*.good.hosts.test') }, ends: 'sts' },
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
    answer: { status: 301, headers: { location: 'https://mta-sts.in-force.test/.well-known/mta-sts.txt' } },
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
    answer: { body: policyFile('enforce', 'a.test'), certificate: selfSignedCertificate('mta-sts.untrusted.test') },
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
  const folder = mkdtempSync(join(tmpdir(), 'postloft-authority-'));
  const mxs = new Map<string, ScriptedMx>();
  let dns: LocalDns;
  let policies: PolicyServer;
  let program: RunningProgram;

  beforeAll(async () => {
    writeFileSync(join(folder, 'authority.pem'), authority.cert);
    dns = await LocalDns.start();
    let port = 0;
    for (const [i, kind] of KINDS.entries()) {
      const address = `127.0.7.${i + 1}`;
      const mx = await ScriptedMx.start({ ...SERVERS[kind], host: address, port });
      ({ port } = mx);
      mxs.set(kind, mx);
      dns.set(nameOf(kind), { A: [address] });
      dns.set(`${kind.replaceAll('_', '-')}.plain.test`, { MX: [{ preference: 10, exchange: nameOf(kind) }] });
    }
    policies = await PolicyServer.start(authority);
    for (const [name, { mx, texts = ['v=STSv1; id=1;'], answer }] of Object.entries(STS)) {
      dns.set(`${name}.test`, { MX: mx.map((kind, at) => ({ preference: at, exchange: nameOf(kind) })) });
      dns.set(`_mta-sts.${name}.test`, { TXT: texts });
      dns.set(`mta-sts.${name}.test`, { A: ['127.0.0.1'] });
      policies.set(`${name}.test`, answer);
    }
    program = await startStandalone({
      DELIVERY_MODE: 'mx',
      MX_PORT: String(port),
      MTA_STS_PORT: String(policies.port),
      ALLOW_PRIVATE_MX: 'true',
      DNS_SERVERS: dns.address,
      BOOTSTRAP_DOMAINS: `${OPPORTUNISTIC},${ENFORCED}`,
      DELIVERY_RETRY_SCHEDULE: '1h',
      SMTP_OUT_TIMEOUTS: 'ehlo=2s',
      NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem'),
    });
    const domains = (await (await program.call('GET', '/domains')).json()) as { id: string; name: string }[];
    const strict = domains.find(({ name }) => name === ENFORCED)?.id ?? '';
    expect((await program.call('PATCH', `/domains/${strict}`, { tls: 'enforced' })).status).toBe(200);
  });
  afterAll(async () => {
    await program?.stop();
    await Promise.all([...mxs.values()].map((mx) => mx.close()));
    await policies?.close();
    await dns?.close();
    program?.clean();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Sends one mail and waits for its first attempt. */
  async function attemptAt(to: string, from: string): Promise<Attempt> {
    const sent = await program.call('POST', '/emails', mail({ to, from: `Shop <orders@${from}>` }));
    expect(sent.status).toBe(201);
    const { id } = (await sent.json()) as { id: string };
    return until(
      async () => {
        const shown = await program.call('GET', `/emails/${id}/attempts`);
        return ((await shown.json()) as { data: Attempt[] }).data[0] ?? null;
      },
      { what: `an attempt for ${to}` },
    );
  }

  const plainFor = (local: string) =>
    [...mxs.values()].flatMap((mx) =>
      mx.mails.filter(({ tls, recipients }) => !tls && recipients[0]?.startsWith(local)),
    );

  it('opportunistic mail is never lost to a broken TLS, and each attempt says what there was', async () => {
    const attempts = await Promise.all(
      KINDS.map((kind) => attemptAt(`open@${kind.replaceAll('_', '-')}.plain.test`, OPPORTUNISTIC)),
    );
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

  it('enforced mail goes only where the certificate proves the name, over connections of its own, and says why it waits', async () => {
    const attempts = await Promise.all(
      KINDS.map((kind) => attemptAt(`strict@${kind.replaceAll('_', '-')}.plain.test`, ENFORCED)),
    );
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
    expect(words).toMatch(
      /^mx\.expired\.hosts\.test \(127\.0\.7\.3\): the certificate is expired; the domain of the sender/,
    );
  });

  it('MTA-STS: a policy in force is kept to or the mail waits, every other one delivers', async () => {
    const names = Object.keys(STS);
    const attempts = await Promise.all(names.map((name) => attemptAt(`sts@${name}.test`, OPPORTUNISTIC)));
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
    expect(refused.smtp?.text).toContain('the MTA-STS policy of in-force-other-mx.test does not name the MX mx.good');
    // The one domain in its test whose server has no TLS, and no other.
    expect(plainFor('sts@').map(({ recipients }) => recipients[0])).toEqual(['sts@in-test-stripped.test']);
    expect(policies.count('in-force.test')).toBe(1);
  });

  it('a policy once fetched outlives the process, its TXT record and its web server', async () => {
    dns.remove('_mta-sts.in-force-stripped.test');
    policies.set('in-force-expired.test', { status: 500 });
    dns.set('_mta-sts.in-force-expired.test', { TXT: ['v=STSv1; id=2;'] });
    await program.stop();
    program = await program.restart();
    for (const name of ['in-force-stripped', 'in-force-expired']) {
      const { outcome, tls_policy } = await attemptAt(`again@${name}.test`, OPPORTUNISTIC);
      expect([name, outcome, tls_policy]).toEqual([name, 'deferred', 'sts']);
    }
    expect(policies.count('in-force-stripped.test')).toBe(1);
    expect(policies.count('in-force-expired.test')).toBe(2);
  });

  it('says at the start why DANE is off', () => {
    expect(program.output()).toMatch(/DANE is off: the resolver 127\.0\.0\.1:\d+ does not check signatures/);
  });
});
