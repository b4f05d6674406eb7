import { gzipSync } from 'node:zlib';
import { attachmentsFrom } from '../../../libs/emails/src/intake/attachments/attachment-rules.js';
import { loadConfig } from '#libs/kernel';
import { Refusal } from '#libs/contracts';
import { SafeFetch } from '#libs/safe-fetch';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LocalDns } from '../../support/dns/local-dns.js';
import { selfSignedCertificate } from '../../support/fixtures/self-signed-certificate.js';
import { WebhookReceiver } from '../../support/webhooks/webhook-receiver.js';
import { AttachmentFetcher } from '../../../libs/emails/src/intake/attachments/attachment-fetcher.js';

const PDF = '%PDF-1.7\n%%EOF\n';
const MEGABYTE = 1024 * 1024;
let server: WebhookReceiver;
let dns: LocalDns;

beforeAll(async () => {
  server = await WebhookReceiver.start();
  dns = await LocalDns.start();
});
afterAll(async () => {
  await server.close();
  await dns.close();
});

function safeFetch(settings: Record<string, string> = { ALLOW_PRIVATE_WEBHOOKS: 'true' }): SafeFetch {
  return new SafeFetch(loadConfig('standalone', { DNS_SERVERS: dns.address, ...settings }));
}
const get = (url: string, { bytes = MEGABYTE, timeoutMs = 5_000 } = {}, from = safeFetch()) =>
  from.get(url, { budget: { bytes }, timeoutMs });

describe('SafeFetch', () => {
  it('brings the bytes, asking for them as they are, over a connection of its own', async () => {
    dns.set('files.example.com', { A: ['127.0.0.1'] });
    server.script('/a.pdf?sig=1', { status: 200, body: PDF });
    const url = server.url('/a.pdf?sig=1', 'files.example.com');
    expect(await get(url)).toMatchObject({ kind: 'fetched', body: Buffer.from(PDF) });
    expect(server.callsTo('/a.pdf?sig=1')[0].headers).toEqual({
      host: `files.example.com:${server.port}`,
      'user-agent': 'Postloft-Fetch/1',
      'accept-encoding': 'identity',
      connection: 'close',
    });
    expect(
      dns.questions
        .filter(({ name }) => name === 'files.example.com')
        .map(({ type }) => type)
        .sort(),
    ).toEqual(['A', 'AAAA']);
  });

  it('follows no redirect and takes no other status and no encoding', async () => {
    server.script('/moved', { status: 302, headers: { location: server.url('/target') } });
    server.script('/gone', { status: 404, body: PDF });
    server.script('/part', { status: 206, body: PDF });
    server.script('/zipped', { status: 200, headers: { 'content-encoding': 'gzip' }, body: gzipSync(PDF) });
    expect(await get(server.url('/moved'))).toEqual({
      kind: 'failed',
      failure: 'redirect_not_followed',
      location: server.url('/target'),
    });
    expect(await get(server.url('/gone'))).toEqual({ kind: 'failed', failure: 'status_not_200' });
    expect(await get(server.url('/part'))).toEqual({ kind: 'failed', failure: 'status_not_200' });
    expect(await get(server.url('/zipped'))).toEqual({ kind: 'failed', failure: 'encoding_not_identity' });
    expect(server.callsTo('/target')).toEqual([]);
  });

  it('stops reading where the budget ends, which calls may share', async () => {
    server.script('/endless', 'endless');
    const sent = server.bytesSent;
    expect(await get(server.url('/endless'))).toEqual({ kind: 'failed', failure: 'too_large' });
    expect(server.bytesSent - sent).toBeLessThan(8 * MEGABYTE);
    server.script('/exact', { status: 200, body: PDF });
    const budget = { bytes: 2 * PDF.length };
    const from = safeFetch();
    const kinds = [];
    for (let i = 0; i < 3; i += 1)
      kinds.push((await from.get(server.url('/exact'), { budget, timeoutMs: 5_000 })).kind);
    expect(kinds).toEqual(['fetched', 'fetched', 'failed']);
  });

  it.each([
    ['/silent', 'silent', 'timeout'],
    ['/trickle', 'trickle', 'timeout'],
    ['/reset', 'reset', 'connection_failed'],
  ] as const)('ends in time: %s', async (path, answer, failure) => {
    server.script(path, answer);
    expect(await get(server.url(path), { timeoutMs: 300 })).toEqual({ kind: 'failed', failure });
  });

  it('ends in time while name servers are silent, and names what is unknown or has no valid certificate', async () => {
    dns.set('stalled.example.com', { fault: 'silent' });
    expect(await get(server.url('/', 'stalled.example.com'), { timeoutMs: 300 })).toMatchObject({ failure: 'timeout' });
    expect(await get(server.url('/', 'nowhere.example.com'))).toMatchObject({ failure: 'name_unresolved' });
    const secure = await WebhookReceiver.start(selfSignedCertificate('files.example.com'));
    expect(await get(secure.url('/', 'files.example.com'))).toMatchObject({ failure: 'tls_failed' });
    await secure.close();
  });
});

describe('SafeFetch where private addresses are not allowed', () => {
  const LOOPBACK = [
    ...['127.0.0.1', '127.1', '127.0.1', '2130706433', '0x7f000001', '0x7f.0.0.1', '0177.0.0.1', '017700000001'],
    ...[
      '①②⑦.⓪.⓪.①',
      '１２７.0.0.1',
      '127。0。0。1',
      '0',
      '0.0.0.0',
      '00.0.0.0',
      '0x0',
      '127.255.255.254',
      '127.0.0.1.',
    ],
    ...['[::1]', '[::]', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[0:0:0:0:0:ffff:7f00:0001]'],
    ...['[::127.0.0.1]', '[64:ff9b::127.0.0.1]', '[64:ff9b:1::7f00:1]', '[2002:7f00:1::]', '[2001:0:7f00:1::1]'],
    ...['[fe80::1]', '[fc00::1]', '[fec0::1]', '[::ffff:10.0.0.1]', '[ff02::1]', '[100::1]', '[2001:db8::1]'],
    ...['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'printer.local', 'metadata.google.internal', 'intranet'],
    ...['10.0.0.1', '172.16.0.1', '192.168.0.1', '169.254.169.254', '100.64.0.1', '168.63.129.16', '192.0.2.1'],
  ];
  const NAMES: Record<string, { A?: string[]; AAAA?: string[]; CNAME?: string }> = {
    'v4.example.com': { A: ['127.0.0.1'] },
    'v6.example.com': { AAAA: ['::1'] },
    'mapped.example.com': { AAAA: ['::ffff:127.0.0.1'] },
    'nat64.example.com': { AAAA: ['64:ff9b::7f00:1'] },
    'zero.example.com': { A: ['0.0.0.0'] },
    'mixed.example.com': { A: ['93.184.216.34', '127.0.0.1'] },
    'across.example.com': { A: ['93.184.216.34'], AAAA: ['::1'] },
    'alias.example.com': { CNAME: 'v4.example.com' },
    'private.example.com': { A: ['10.0.0.1'] },
    'metadata.example.com': { A: ['169.254.169.254'] },
  };

  it('opens no connection, however the address is written', async () => {
    const canaries = [await WebhookReceiver.start(), await WebhookReceiver.start(selfSignedCertificate('localhost'))];
    for (const [name, records] of Object.entries(NAMES)) dns.set(name, records);
    const from = safeFetch({});
    const tried: string[] = [];
    for (const { port } of canaries)
      for (const host of [...LOOPBACK, ...Object.keys(NAMES)])
        for (const url of [`https://${host}:${port}/`, `https://user:secret@${host}:${port}/`]) {
          tried.push(url);
          expect((await get(url, {}, from)).kind, url).toBe('failed');
        }
    for (const url of [
      `http://127.0.0.1:${canaries[0].port}/`,
      'https://[fe80::1%25lo]/',
      'file:///etc/passwd',
      'data:,a',
    ])
      expect((await get(url, {}, from)).kind, url).toBe('failed');
    expect(tried.length).toBeGreaterThanOrEqual(200);
    expect(canaries.map((canary) => canary.connectionsMade)).toEqual([0, 0]);
    await Promise.all(canaries.map((canary) => canary.close()));
  });

  it('heeds no proxy of the environment', async () => {
    const proxy = await WebhookReceiver.start();
    const names = ['http_proxy', 'https_proxy', 'all_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'];
    const before = names.map((name) => process.env[name]);
    for (const name of names) process.env[name] = proxy.url();
    server.script('/direct', { status: 200, body: PDF });
    expect((await get(server.url('/direct'))).kind).toBe('fetched');
    names.forEach((name, i) => {
      if (before[i] === undefined) delete process.env[name];
      else process.env[name] = before[i];
    });
    expect(proxy.connectionsMade).toBe(0);
    await proxy.close();
  });
});

describe('AttachmentFetcher', () => {
  const fetcher = (settings?: Record<string, string>) => new AttachmentFetcher(safeFetch(settings));
  const refusal = (promise: Promise<unknown>): Promise<Refusal> =>
    promise.then(
      () => expect.fail('was not refused'),
      (error: unknown) => error as Refusal,
    );

  it('brings the files that have a path, beside those that came along', async () => {
    server.script('/b', { status: 200, body: PDF });
    server.script('/c.pdf', { status: 200, body: PDF });
    const files = attachmentsFrom([
      { filename: 'a.txt', content: Buffer.from('a').toString('base64') },
      { path: server.url('/b') },
      { filename: 'sea.pdf', path: server.url('/c.pdf'), content_id: 'sea' },
    ]);
    expect(await fetcher().fetchAll(files, { availableBytes: MEGABYTE })).toEqual([
      { filename: 'a.txt', contentType: 'text/plain', content: Buffer.from('a') },
      { filename: 'attachment-2.pdf', contentType: 'application/pdf', content: Buffer.from(PDF) },
      { filename: 'sea.pdf', contentType: 'application/pdf', contentId: 'sea', content: Buffer.from(PDF) },
    ]);
  });

  it('names each file that could not be brought, and why in a coarse word', async () => {
    server.script('/lost', { status: 500 });
    const files = attachmentsFrom([
      { filename: 'a.txt', content: 'YQ==' },
      { filename: 'b.txt', path: server.url('/lost') },
      { filename: 'c.txt', path: server.url('/', 'nowhere.example.com') },
    ]);
    const { code, details } = await refusal(fetcher().fetchAll(files, { availableBytes: MEGABYTE }));
    expect(code).toBe('attachment_not_allowed');
    expect(details.map((detail) => [detail.field, detail.code])).toEqual([
      ['attachments[1].path', 'status_not_200'],
      ['attachments[2].path', 'name_unresolved'],
    ]);
  });

  it('counts all files together against the size that the message has left', async () => {
    server.script('/half', { status: 200, body: 'x'.repeat(600) });
    const files = attachmentsFrom([1, 2].map((i) => ({ filename: `${i}.txt`, path: server.url('/half') })));
    expect(await fetcher().fetchAll(files, { availableBytes: 1200 })).toHaveLength(2);
    expect(await refusal(fetcher().fetchAll(files, { availableBytes: 1199 }))).toMatchObject({
      code: 'message_too_large',
      details: [{ field: '', code: 'too_large' }],
    });
  });

  it('takes https alone, and says the same of a private address as of a name that has one', async () => {
    const one = (path: string) => attachmentsFrom([{ filename: 'a.txt', path }]);
    dns.set('inside.example.com', { A: ['127.0.0.1'] });
    const guarded = fetcher({});
    const plain = await refusal(guarded.fetchAll(one('http://files.example.com/a.txt'), { availableBytes: MEGABYTE }));
    expect([plain.code, plain.details[0]]).toMatchObject([
      'validation_error',
      { field: 'attachments[0].path', code: 'invalid_scheme' },
    ]);
    const literal = await refusal(guarded.fetchAll(one('https://127.0.0.1/a.txt'), { availableBytes: MEGABYTE }));
    const named = await refusal(
      guarded.fetchAll(one('https://inside.example.com/a.txt'), { availableBytes: MEGABYTE }),
    );
    expect(literal.details).toEqual(named.details);
    expect(literal.details[0].code).toBe('target_refused');
  });
});
