import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { wholeAccount } from '#libs/contracts';
import { loadConfig } from '#libs/kernel';
import { SafeFetch } from '#libs/safe-fetch';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EmailPreview } from '../../../libs/emails/src/queries/email-preview.js';
import { WebhookReceiver } from '../../support/webhooks/webhook-receiver.js';
import { until } from '../../support/timing/until.js';
import { LinkCheck } from '../../../libs/emails/src/queries/link-check.js';

const asked: string[] = [];
let server: Server;
let base: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

function answer({ url }: IncomingMessage, response: ServerResponse): void {
  if (url === '/moved') response.writeHead(302, { location: '/there#part' }).end();
  else if (url === '/loop') response.writeHead(301, { location: '/loop' }).end();
  else if (url === '/inside') response.writeHead(302, { location: 'http://127.0.0.1:22/' }).end();
  else response.writeHead(url === '/gone' ? 404 : 200).end();
}

/** Checks the links of a message with this content. */
function check(content: { html: string | null; text?: string }, allowPrivate = true) {
  const config = loadConfig('standalone', { ALLOW_PRIVATE_WEBHOOKS: String(allowPrivate) });
  const previews = { content: () => Promise.resolve({ text: null, headers: {}, attachments: [], ...content }) };
  const links = new LinkCheck(previews as unknown as EmailPreview, new SafeFetch(config));
  return links.check(wholeAccount('acc_1'), 'em_1');
}

describe('LinkCheck', () => {
  it('asks every link once, by HEAD, and tells how it answered', async () => {
    asked.length = 0;
    const html = ['/good', '/good', '/gone', '/moved'].map((path) => `<a href="${base}${path}">x</a>`).join('');
    expect(await check({ html: `${html}<a href="mailto:a@example.com">y</a>` })).toEqual([
      { url: `${base}/good`, status: 200, failure: null, redirected_to: null },
      { url: `${base}/gone`, status: 404, failure: null, redirected_to: null },
      { url: `${base}/moved`, status: 200, failure: null, redirected_to: `${base}/there` },
    ]);
    expect(asked.toSorted()).toEqual(['HEAD /gone', 'HEAD /good', 'HEAD /moved', 'HEAD /there']);
  });

  it('leaves a chain of redirects that does not end, or that leads to a port of another service', async () => {
    const html = `<a href="${base}/loop">x</a><a href="${base}/inside">x</a>`;
    expect(await check({ html })).toEqual([
      { url: `${base}/loop`, status: null, failure: 'too_many_redirects', redirected_to: `${base}/loop` },
      { url: `${base}/inside`, status: null, failure: 'target_refused', redirected_to: 'http://127.0.0.1:22/' },
    ]);
  });

  it('asks nothing of a private address', async () => {
    asked.length = 0;
    const html = `<a href="${base}/good">x</a><a href="http://localhost/">x</a><a href="ftp://example.com/">x</a>`;
    const results = await check({ html }, false);
    expect(results?.map(({ failure }) => failure)).toEqual(['target_refused', 'target_refused']);
    expect(asked).toEqual([]);
  });

  it('finds the links of a message without HTML in its text', async () => {
    const results = await check({ html: null, text: `See ${base}/good, or (${base}/gone).` });
    expect(results?.map(({ url, status }) => [url, status])).toEqual([
      [`${base}/good`, 200],
      [`${base}/gone`, 404],
    ]);
  });

  it('asks at most 50 links', async () => {
    const html = Array.from({ length: 60 }, (_, i) => `<a href="${base}/${i}">x</a>`).join('');
    expect(await check({ html })).toHaveLength(50);
  });
});

describe('LinkCheck of several clients', () => {
  let silent: WebhookReceiver;
  beforeAll(async () => {
    silent = await WebhookReceiver.start();
  });
  afterAll(() => silent.close());

  function checker() {
    const html = Array.from({ length: 50 }, (_, i) => `<a href="${silent.url(`/${i}`)}">x</a>`).join('');
    for (let i = 0; i < 50; i += 1) silent.script(`/${i}`, 'silent');
    const content = { html, text: null, headers: {}, attachments: [] };
    const previews = { content: () => Promise.resolve(content) } as unknown as EmailPreview;
    const links = new LinkCheck(previews, new SafeFetch(loadConfig('standalone', { ALLOW_PRIVATE_WEBHOOKS: 'true' })));
    return (emailId: string, signal?: AbortSignal, account = 'acc_1') =>
      links.check(wholeAccount(account), emailId, signal);
  }

  it('makes no request after its client has left, and closes those that run', async () => {
    const check = checker();
    const left = new AbortController();
    const before = silent.connectionsMade;
    const results = check('em_1', left.signal);
    await until(async () => silent.connectionsOpen === 5, { what: 'the first requests' });
    left.abort();
    expect((await results)?.map(({ failure }) => failure).filter((failure) => failure !== null)).toEqual(
      Array(5).fill('aborted'),
    );
    await until(async () => silent.connectionsOpen === 0, { what: 'the end of the connections' });
    expect(silent.connectionsMade - before).toBe(5);
  });

  it('runs once for a message whatever the number of clients, until the last has left', async () => {
    const check = checker();
    const clients = [new AbortController(), new AbortController(), new AbortController()];
    const before = silent.connectionsMade;
    const results = clients.map(({ signal }) => check('em_1', signal));
    await until(async () => silent.connectionsOpen === 5, { what: 'the first requests' });
    clients[0].abort();
    clients[1].abort();
    await expect(check('em_2')).rejects.toMatchObject({ code: 'rate_limit_exceeded', retryAfter: 5 });
    expect([silent.connectionsOpen, silent.connectionsMade - before]).toEqual([5, 5]);
    const other = new AbortController();
    const ofOther = check('em_2', other.signal, 'acc_2');
    await until(async () => silent.connectionsOpen === 10, { what: 'the check of another account' });
    other.abort();
    clients[2].abort();
    await Promise.all([...results, ofOther]);
    const next = new AbortController();
    const again = check('em_2', next.signal);
    next.abort();
    expect(await again).toHaveLength(50);
  });
});
