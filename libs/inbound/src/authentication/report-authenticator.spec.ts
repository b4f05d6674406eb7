import { createPrivateKey } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Refusal } from '#libs/contracts';
import { loadConfig } from '#libs/kernel';
import { dkim, type DkimKey } from '#libs/mime';
import { LocalDns } from '../../../../test/support/dns/local-dns.js';
import { ReportAuthenticator, type ReportOrigin } from './report-authenticator.js';

const DOMAIN = 'rcpt.example';
const CLIENT = '192.0.2.40';
const REVERSE = '40.2.0.192.in-addr.arpa';
const HOST = 'mx.host.example';
const REPORT = Buffer.from(`From: <reports@${DOMAIN}>\r\nSubject: a report\r\n\r\nno such user\r\n`);
const NOBODY: ReportOrigin = { mailFrom: '', helo: 'mx.forger.example', remoteIp: CLIENT, message: REPORT };

let dns: LocalDns;
let authenticator: ReportAuthenticator;
let keys: { rsa: DkimKey; ed25519: DkimKey };

beforeAll(async () => {
  dns = await LocalDns.start();
  const { rsa, ed25519 } = await dkim.generateKeys();
  const common = { domain: `mail.${DOMAIN}` };
  keys = {
    rsa: { ...common, selector: 'r', algorithm: 'rsa-sha256', privateKey: createPrivateKey(rsa.privateKeyPem) },
    ed25519: {
      ...common,
      selector: 'e',
      algorithm: 'ed25519-sha256',
      privateKey: createPrivateKey(ed25519.privateKeyPem),
    },
  };
  const records = {
    r: { TXT: [dkim.recordValue('rsa-sha256', rsa.publicKeyBase64)] },
    e: { TXT: [dkim.recordValue('ed25519-sha256', ed25519.publicKeyBase64)] },
  };
  for (const domain of [`mail.${DOMAIN}`, DOMAIN, 'forger.example', 'mail.host.example'])
    for (const [selector, record] of Object.entries(records)) dns.set(`${selector}._domainkey.${domain}`, record);
  const config = loadConfig('smtp', {
    DATABASE_URL: 'postgres://localhost/none',
    CLICKHOUSE_URL: 'http://127.0.0.1:1',
    MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    DNS_SERVERS: dns.address,
  });
  authenticator = new ReportAuthenticator(config);
});
afterAll(() => dns?.close());
beforeEach(() => {
  dns.questions.length = 0;
  for (const name of [DOMAIN, HOST, REVERSE, 'forger.example', 'mx.forger.example', 'a.host.example']) dns.remove(name);
  dns.set(DOMAIN, { MX: [{ preference: 10, exchange: HOST }] });
});

const prove = (origin: Partial<ReportOrigin>) => authenticator.prove({ ...NOBODY, ...origin }, DOMAIN);
const signed = async (message: Buffer, ...by: DkimKey[]): Promise<Buffer> =>
  Buffer.concat([await dkim.sign({ front: Buffer.alloc(0), rest: message }, by, new Date()), message]);
const permit = (name: string, address = CLIENT) => dns.set(name, { TXT: [`v=spf1 ip4:${address} -all`] });
const askedFor = (domain: string) => dns.questions.filter(({ name }) => name.endsWith(domain));

describe('a report of nobody known', () => {
  it('is not proved, and causes no question about domains of its sender', async () => {
    permit('forger.example');
    permit('mx.forger.example');
    const message = await signed(Buffer.from('From: a@forger.example\r\n\r\nx\r\n'), {
      ...keys.rsa,
      domain: 'forger.example',
    });
    for (const mailFrom of ['', 'a@forger.example'])
      expect(await prove({ mailFrom, message })).toEqual({
        proved: false,
        reason: expect.stringMatching(
          /^not proved to come from the mail system of rcpt\.example: SPF: .*forger\.example \((HELO|MAIL FROM)\) is of others; DKIM: no signature of them; reverse name: none$/,
        ) as unknown,
      });
    expect(askedFor('forger.example')).toEqual([]);
  });

  it('is described by what a hostile client sends only where that is a host name', async () => {
    const proof = await prove({ helo: 'x\r\ny; \u001b[31m', mailFrom: '' });
    expect(proof).toMatchObject({ reason: expect.stringContaining('SPF: no domain in HELO') as unknown });
    expect(JSON.stringify(proof)).not.toMatch(/\\u001b|\\r/);
  });
});

describe('SPF', () => {
  it.each([
    ['the domain', `bounce@${DOMAIN}`, DOMAIN],
    ['a name below it', `bounce@mail.${DOMAIN}`, `mail.${DOMAIN}`],
    ['the organisation of its MX host', 'bounce@out.host.example', 'out.host.example'],
  ])('pass of MAIL FROM proves for %s', async (_what, mailFrom, name) => {
    const mx = { MX: [{ preference: 10, exchange: HOST }] };
    dns.set(name, { ...(name === DOMAIN ? mx : {}), TXT: [`v=spf1 ip4:${CLIENT} -all`] });
    expect(await prove({ mailFrom })).toEqual({ proved: true });
    dns.set(name, { ...(name === DOMAIN ? mx : {}), TXT: ['v=spf1 ip4:192.0.2.41 ~all'] });
    expect(await prove({ mailFrom })).toMatchObject({ proved: false });
    dns.remove(name);
  });

  it('pass of HELO proves only for the null sender', async () => {
    permit(HOST);
    expect(await prove({ helo: HOST })).toEqual({ proved: true });
    expect(await prove({ helo: HOST, mailFrom: 'a@forger.example' })).toMatchObject({ proved: false });
    permit(HOST, '192.0.2.41');
    expect(await prove({ helo: HOST })).toMatchObject({
      proved: false,
      reason: expect.stringContaining(`SPF: fail for ${HOST} (HELO)`) as unknown,
    });
  });

  it('is bounded in questions', async () => {
    const mx = (i: number) => `m${i}.host.example`;
    const exchanges = Array.from({ length: 10 }, (_, i) => ({ preference: i, exchange: mx(i) }));
    dns.set(HOST, {
      MX: exchanges,
      TXT: [`v=spf1 ${Array.from({ length: 10 }, (_, i) => `mx:${mx(i)}`).join(' ')} -all`],
    });
    for (let i = 0; i < 10; i += 1) dns.set(mx(i), { MX: exchanges, A: ['192.0.2.99'] });
    expect(await prove({ helo: HOST })).toMatchObject({ proved: false });
    expect(dns.questions.length).toBeLessThanOrEqual(40);
  });
});

describe('the reverse name', () => {
  const name = (reverse: string, address = CLIENT) => {
    dns.set(REVERSE, { PTR: ['other.example', reverse] });
    dns.set(reverse, { A: [address] });
  };

  it.each([HOST, `out1.${HOST}`])('proves if it leads back to the client: %s', async (reverse) => {
    name(reverse);
    expect(await prove({})).toEqual({ proved: true });
    expect(await prove({ remoteIp: `::ffff:${CLIENT}` })).toEqual({ proved: true });
    name(reverse, '192.0.2.41');
    expect(await prove({})).toMatchObject({ reason: expect.stringContaining('does not lead back') as unknown });
    dns.remove(reverse);
  });

  it('proves nothing if it belongs to others', async () => {
    dns.set(REVERSE, { PTR: ['mx.forger.example'] });
    dns.set('mx.forger.example', { A: [CLIENT] });
    expect(await prove({})).toMatchObject({ reason: expect.stringContaining('reverse name: of others') as unknown });
  });

  // Everybody can rent a server with such a name at the hoster that also runs the MX hosts of its customers.
  it.each(['a.host.example', 'host.example', 'static.40.2.0.192.clients.host.example', `x${HOST}`, `vps40.${DOMAIN}`])(
    'proves nothing beside the MX hosts: %s',
    async (reverse) => {
      name(reverse);
      for (const helo of ['mx.forger.example', reverse, HOST])
        for (const mailFrom of ['', 'mailer-daemon@forger.example'])
          expect(await prove({ helo, mailFrom })).toMatchObject({ proved: false });
      dns.remove(reverse);
    },
  );

  it('proves nothing below a registered domain that is an MX host itself', async () => {
    dns.set(DOMAIN, { MX: [{ preference: 10, exchange: 'host.example' }] });
    name('static.40.2.0.192.clients.host.example');
    expect(await prove({})).toMatchObject({ proved: false });
    dns.remove('static.40.2.0.192.clients.host.example');
    name('host.example');
    expect(await prove({})).toEqual({ proved: true });
    dns.remove('host.example');
  });

  it('beside the MX hosts proves if SPF of HELO agrees', async () => {
    dns.set('out.host.example', { TXT: [`v=spf1 ip4:${CLIENT} -all`] });
    name('a.host.example');
    const origin = { helo: 'out.host.example', mailFrom: 'mailer-daemon@forger.example' };
    expect(await prove(origin)).toEqual({ proved: true });
    dns.set('out.host.example', { TXT: ['v=spf1 ip4:192.0.2.41 ?all'] });
    expect(await prove(origin)).toMatchObject({ proved: false });
    dns.remove('out.host.example');
  });
});

describe('a DKIM signature', () => {
  it.each(['rsa', 'ed25519'] as const)('of the domain proves: %s', async (name) => {
    expect(await prove({ message: await signed(REPORT, keys[name]) })).toEqual({ proved: true });
  });

  it.each([
    ['an altered body', (message: Buffer) => Buffer.from(message.toString().replace('no such user', 'no such eve'))],
    ['an altered From', (message: Buffer) => Buffer.from(message.toString().replace('reports@', 'forgers@'))],
    ['a second From', (message: Buffer) => Buffer.concat([Buffer.from(`From: a@${DOMAIN}\r\n`), message])],
    ['a From of others', null],
    ['a bare line feed', (message: Buffer) => Buffer.concat([message, Buffer.from('\n')])],
    ['1.1 MB', (message: Buffer) => Buffer.concat([message, Buffer.alloc(1_100_000, 'x\r\n')])],
  ])('proves nothing with %s', async (_what, alter) => {
    const foreign = Buffer.from(REPORT.toString().replace(`@${DOMAIN}`, '@forger.example'));
    const message = alter === null ? await signed(foreign, keys.rsa) : alter(await signed(REPORT, keys.rsa));
    expect(await prove({ message })).toMatchObject({ proved: false });
  });

  it('proves nothing with l=, under which other text may follow', async () => {
    const message = await signed(REPORT, keys.rsa);
    const limited = Buffer.from(message.toString().replace('DKIM-Signature: v=1;', 'DKIM-Signature: v=1; l=0;'));
    expect(limited.equals(message)).toBe(false);
    expect(await prove({ message: limited })).toMatchObject({
      reason: expect.stringContaining('DKIM: no signature of them') as unknown,
    });
  });

  it('proves nothing with SHA-1', async () => {
    const message = await signed(REPORT, keys.rsa);
    const weak = Buffer.from(message.toString().replace('a=rsa-sha256', 'a=rsa-sha1'));
    expect(weak.equals(message)).toBe(false);
    expect(await prove({ message: weak })).toMatchObject({ proved: false });
  });

  it('counts among forged ones, of which a few are verified', async () => {
    const message = await signed(REPORT, keys.rsa);
    const forged = (count: number) =>
      Array.from(
        { length: count },
        (_, i) => `DKIM-Signature: v=1; a=rsa-sha256; d=${DOMAIN}; s=s${i}; h=from; bh=x; b=y\r\n`,
      );
    expect(await prove({ message: Buffer.concat([Buffer.from(forged(3).join('')), message]) })).toEqual({
      proved: true,
    });
    dns.questions.length = 0;
    await prove({ message: Buffer.concat([Buffer.from(forged(200).join('')), message]) });
    expect(dns.questions.filter(({ name }) => name.includes('_domainkey')).length).toBeLessThanOrEqual(8);
  });

  // A hang guard: work that grew with the square of the size would exceed the time limit of the test.
  it.each([' ', '\t', '"', '(', '\\', ';', '=', ',', '@', '<', '=?', ':', 'a', '\r\n ', ';b='])(
    'is refused or verified in a field, header or body of many %j',
    async (piece) => {
      const many = piece.repeat(256 * 1024);
      for (const octets of [3_000, 7_000, 60_000, many.length]) {
        const text = many.slice(0, octets);
        for (const name of ['From', 'Content-Type', 'X-Field'])
          await prove({ message: await signed(Buffer.from(`${name}: ${text}x\r\n${REPORT.toString()}`), keys.rsa) });
        const signature = `DKIM-Signature: v=1; a=rsa-sha256; d=${DOMAIN}; s=r; h=from; bh=x; b=${text}\r\n`;
        await prove({ message: Buffer.from(signature + REPORT.toString()) });
        await prove({ message: await signed(Buffer.concat([REPORT, Buffer.from(text)]), keys.rsa) });
      }
    },
    60_000,
  );
});

describe('DNS', () => {
  it('without an answer for the domain makes the report come again', async () => {
    dns.set(DOMAIN, { fault: 'SERVFAIL' });
    await expect(prove({})).rejects.toBeInstanceOf(Refusal);
  });

  it('is not asked about an address without a domain name', async () => {
    for (const domain of ['[192.0.2.1]', '', 'x..example', 'a b'])
      expect(await authenticator.prove(NOBODY, domain)).toMatchObject({ proved: false });
    expect(dns.questions).toEqual([]);
  });

  it('without an answer about evidence leaves the report unproved', async () => {
    dns.set(HOST, { fault: 'SERVFAIL' });
    expect(await prove({ helo: HOST })).toMatchObject({
      reason: expect.stringContaining(`SPF: temperror for ${HOST}`) as unknown,
    });
  });
});
