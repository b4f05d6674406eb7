import { loadConfig } from '#libs/kernel';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebhookHttpClient, type RequestResult } from '../../../libs/webhooks/src/delivery/http-client.js';
import { LocalDns } from '../../support/dns/local-dns.js';
import { selfSignedCertificate } from '../../support/fixtures/self-signed-certificate.js';
import { WebhookReceiver } from '../../support/webhooks/webhook-receiver.js';

/** Longer than a test may last, for calls that must end by themselves. */
const NO_LIMIT = { ALLOW_PRIVATE_WEBHOOKS: 'true', WEBHOOK_TIMEOUT: '10m' };
const SHORT_LIMIT = { ...NO_LIMIT, WEBHOOK_TIMEOUT: '300ms' };
let receiver: WebhookReceiver;
let dns: LocalDns;
const open: WebhookHttpClient[] = [];

function clientWith(settings: Record<string, string> = NO_LIMIT): WebhookHttpClient {
  const config = loadConfig('standalone', {
    DNS_SERVERS: dns.address,
    ...settings,
  });
  const webhookPost = new WebhookHttpClient(config);
  open.push(webhookPost);
  return webhookPost;
}
const call = (url: string, from = clientWith()): Promise<RequestResult> =>
  from.post({ url, body: '{"a":"ü"}', headers: { 'x-service-attempt': '1' } });

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  dns = await LocalDns.start();
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((webhookPost) => webhookPost.close()));
});
afterAll(async () => {
  await receiver.close();
  await dns.close();
});

describe('WebhookHttpClient', () => {
  it('posts the body byte for byte with its headers and tells status and answer', async () => {
    receiver.script('/ok', { status: 202, body: 'thanks\u0000!' });
    const result = await call(receiver.url('/ok'));
    expect(result).toMatchObject({ kind: 'response', status: 202, body: 'thanks!' });
    const [received] = receiver.callsTo('/ok');
    expect(received.body).toBe('{"a":"ü"}');
    expect(received.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Postloft-Webhooks/1',
      'x-service-attempt': '1',
      'content-length': '10',
      host: `127.0.0.1:${receiver.port}`,
    });
  });

  it('reaches a name at the address that DNS gives, under the name', async () => {
    dns.set('hooks.example.com', { A: ['127.0.0.1'] });
    expect(await call(receiver.url('/named', 'hooks.example.com'))).toMatchObject({ status: 200 });
    expect(receiver.callsTo('/named')[0].headers.host).toBe(`hooks.example.com:${receiver.port}`);
  });

  it('tries the next address when the first does not take connections', async () => {
    dns.set('two.example.com', { A: ['127.0.0.1'], AAAA: ['::1'] });
    dns.set('dead-first.example.com', { A: ['127.9.9.9', '127.0.0.1'] });
    expect(await call(receiver.url('/two', 'two.example.com'))).toMatchObject({ status: 200 });
    expect(await call(receiver.url('/two', 'dead-first.example.com'))).toMatchObject({ status: 200 });
  });

  it('keeps sockets alive from call to call', async () => {
    const from = clientWith();
    const before = receiver.connectionsMade;
    for (let i = 0; i < 20; i++) await call(receiver.url('/again'), from);
    expect(receiver.connectionsMade - before).toBeLessThanOrEqual(2);
  });

  it('does not follow a redirect', async () => {
    receiver.script('/moved', { status: 301, headers: { location: receiver.url('/target') } });
    expect(await call(receiver.url('/moved'))).toMatchObject({ kind: 'response', status: 301 });
    expect(receiver.callsTo('/target')).toEqual([]);
  });

  it('reads at most 4 KiB of an endless answer and hangs up', async () => {
    receiver.script('/endless', 'endless');
    const result = await call(receiver.url('/endless'));
    expect(result).toMatchObject({ kind: 'response', status: 200 });
    expect((result as { body: string }).body).toHaveLength(4096);
    const sent = receiver.bytesSent;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(receiver.bytesSent - sent).toBeLessThan(1024 * 1024);
  });

  it('takes the status of an answer whose body trickles on, within the time limit', async () => {
    receiver.script('/trickle', 'trickle');
    // The answer itself never ends.
    const from = clientWith(SHORT_LIMIT);
    expect(await call(receiver.url('/trickle'), from)).toMatchObject({ kind: 'response', status: 200 });
  });

  it.each([
    ['silent', 'timeout', SHORT_LIMIT],
    ['reset', 'connection_failed', NO_LIMIT],
  ] as const)('calls a %s endpoint %s', async (answer, failure, settings) => {
    receiver.script(`/${answer}`, answer);
    const result = await call(receiver.url(`/${answer}`), clientWith(settings));
    expect(result).toMatchObject({ kind: 'no_response', failure });
  });

  it('names a closed port, an unknown name and silent name servers coarsely', async () => {
    const closed = await WebhookReceiver.start();
    const url = closed.url('/');
    await closed.close();
    expect(await call(url)).toMatchObject({ failure: 'connection_failed' });
    expect(await call(receiver.url('/', 'nowhere.example.com'))).toMatchObject({ failure: 'name_unresolved' });
    dns.set('stalled.example.com', { fault: 'silent' });
    expect(await call(receiver.url('/', 'stalled.example.com'), clientWith(SHORT_LIMIT))).toMatchObject({
      failure: 'timeout',
    });
  });

  it('asks for the certificate of the name, and refuses one that nobody vouches for', async () => {
    const secure = await WebhookReceiver.start(selfSignedCertificate('hooks.example.com'));
    dns.set('hooks.example.com', { A: ['127.0.0.1'] });
    expect(await call(secure.url('/', 'hooks.example.com'))).toMatchObject({ failure: 'tls_failed' });
    expect(secure.serverNames).toEqual(['hooks.example.com']);
    expect(secure.calls).toEqual([]);
    await secure.close();
  });

  it('ends all calls at once when it is interrupted', async () => {
    receiver.script('/hold', 'silent');
    const from = clientWith();
    const held = [call(receiver.url('/hold'), from), call(receiver.url('/hold'), from)];
    await receiver.waitFor('/hold', 2);
    from.interrupt();
    for (const result of await Promise.all(held)) expect(result).toMatchObject({ failure: 'interrupted' });
  });
});

describe('WebhookHttpClient where private addresses are not allowed', () => {
  const guarded = () => clientWith({});

  it('opens no socket to names that resolve to private addresses, alone or among public ones', async () => {
    const canary = await WebhookReceiver.start(selfSignedCertificate('canary.example.com'));
    const answers = {
      'v4.example.com': { A: ['127.0.0.1'] },
      'v6.example.com': { AAAA: ['::1'] },
      'mapped.example.com': { AAAA: ['::ffff:127.0.0.1'] },
      'mixed.example.com': { A: ['8.8.8.8', '127.0.0.1'] },
      'across.example.com': { A: ['8.8.8.8'], AAAA: ['::1'] },
      'metadata.example.com': { A: ['169.254.169.254'] },
      'alias.example.com': { CNAME: 'v4.example.com' },
    };
    for (const [name, records] of Object.entries(answers)) {
      dns.set(name, records);
      expect(await call(canary.url('/', name), guarded()), name).toMatchObject({ failure: 'target_refused' });
    }
    expect(canary.connectionsMade).toBe(0);
    await canary.close();
  });

  it('keeps no verdict: a name is resolved and judged anew for every connection', async () => {
    const canary = await WebhookReceiver.start(selfSignedCertificate('canary.example.com'));
    dns.set('rebinding.example.com', { A: ['127.0.0.1'], ttl: 3600 });
    const from = guarded();
    for (let i = 0; i < 3; i++)
      expect(await call(canary.url('/', 'rebinding.example.com'), from)).toMatchObject({ failure: 'target_refused' });
    // Each time once for A and once for AAAA, and never again between the verdict and the connection.
    expect(dns.questions.filter(({ name }) => name === 'rebinding.example.com')).toHaveLength(6);
    expect(canary.connectionsMade).toBe(0);
    await canary.close();
  });

  it.each([
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://localhost/',
    'http://example.com/',
  ])('refuses %s even if it was stored when it was allowed', async (url) => {
    expect(await call(url, guarded())).toMatchObject({ kind: 'no_response', failure: 'target_refused' });
  });
});
