import { request } from 'node:http';
import { connect } from 'node:net';
import { Accounts } from '#libs/accounts';
import { CapturedMail } from '#libs/emails';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cost } from '../support/cost.js';
import { startGatewayApp, type GatewayApp } from '../support/gateway-app.js';

type Account = Awaited<ReturnType<GatewayApp['account']>>;
let gateway: GatewayApp;
let own: Account;
let other: Account;

beforeAll(async () => {
  gateway = await startGatewayApp();
  [own, other] = [await gateway.account(), await gateway.account()];
});
afterAll(() => gateway?.stop());

const mail = (over: object = {}) => ({
  from: `Shop <orders@${own.domain}>`,
  to: 'ada@example.com',
  subject: 'Your order',
  text: 'Thank you.',
  ...over,
});
const errorOf = async (response: Response) => (await response.json()) as Record<string, unknown>;

describe('POST /emails', () => {
  it('answers 201 with the id alone, under both paths, and shows the mail afterwards', async () => {
    for (const path of ['/emails', '/v1/emails', '//v1//emails']) {
      const response = await gateway.call(own.key, 'POST', path, mail({ tags: { kind: 'order' } }));
      expect(response.status).toBe(201);
      const created = (await response.json()) as { id: string };
      expect(created).toEqual({ id: expect.stringMatching(/^em_[0-9a-f]{32}$/), object: 'email' });
      const shown = await gateway.call(own.key, 'GET', `/emails/${created.id}`);
      expect(await shown.json()).toMatchObject({
        id: created.id,
        status: 'queued',
        subject: 'Your order',
        tags: { kind: 'order' },
        domain_id: own.domainId,
      });
      expect((await gateway.call(other.key, 'GET', `/emails/${created.id}`)).status).toBe(404);
    }
  });

  it('carries the common headers on every answer', async () => {
    for (const response of [
      await gateway.call(own.key, 'POST', '/emails', mail()),
      await gateway.call(null, 'POST', '/emails', mail()),
      await gateway.call(own.key, 'GET', '/nowhere'),
      await gateway.call(null, 'GET', '/%zz'),
      await gateway.call(null, 'GET', '/healthz'),
    ]) {
      expect(response.headers.get('x-api-version')).toBe('1');
      expect(response.headers.get('x-request-id')).toMatch(/^req_/);
      expect(response.headers.get('x-delivery-mode')).toBe('capture');
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
      const body = (await response.json()) as { request_id?: string };
      if (response.status >= 400) expect(body.request_id).toBe(response.headers.get('x-request-id'));
    }
  });

  it('lists every problem of a body at once', async () => {
    const response = await gateway.call(own.key, 'POST', '/emails', { to: ['a@example.com', 'x'], tags: { 'a b': 1 } });
    expect(response.status).toBe(400);
    expect(await errorOf(response)).toMatchObject({
      statusCode: 400,
      name: 'missing_required_field',
      error: 'bad_request',
      details: [
        { field: 'from', code: 'required' },
        { field: 'to[1]' },
        { field: 'subject', code: 'required' },
        { field: 'html', code: 'required' },
        { field: 'tags.a b' },
      ],
    });
  });

  it('takes the checks in the order of D-20', async () => {
    const blocked = await gateway.account('sending_access');
    await gateway.app.get(Accounts).setStanding(blocked.accountId, 'blocked');
    const cases: [string | null, string, string, unknown, number, string][] = [
      [null, 'POST', '/emails', '{', 401, 'missing_api_key'],
      ['pl_live_nonsense', 'POST', '/emails', '{', 401, 'invalid_api_key'],
      [blocked.key, 'GET', '/domains', undefined, 403, 'invalid_access'],
      [(await gateway.account('sending_access')).key, 'GET', '/domains', undefined, 403, 'restricted_api_key'],
      [own.key, 'POST', '/emails', '{', 400, 'validation_error'],
      [own.key, 'POST', '/emails', mail({ from: 'a@unknown.example' }), 422, 'invalid_from_address'],
      [null, 'GET', '/nowhere', undefined, 401, 'missing_api_key'],
      [own.key, 'GET', '/nowhere', undefined, 404, 'not_found'],
      [own.key, 'PUT', '/emails', '{', 405, 'method_not_allowed'],
      [own.key, 'DELETE', '/v1/emails/em_1', undefined, 405, 'method_not_allowed'],
    ];
    for (const [key, method, path, body, status, name] of cases) {
      const response = await gateway.call(key, method, path, body);
      expect([path, response.status, (await errorOf(response))['name']]).toEqual([path, status, name]);
    }
    expect((await gateway.call(own.key, 'PUT', '/emails', {})).headers.get('allow')).toBe('GET, HEAD, POST');
  });

  it('answers 422 for bodies over the limits, declared or found, and never 413', async () => {
    const attachments = [{ filename: 'a.txt', content: 'A'.repeat(14 * 1024 * 1024), content_type: 'text/plain' }];
    const found = await gateway.call(own.key, 'POST', '/emails', mail({ attachments }));
    expect([found.status, (await errorOf(found))['error']]).toEqual([422, 'unprocessable_entity']);
    const declared = await gateway.call(own.key, 'POST', '/emails', mail({ text: 'x'.repeat(17 * 1024 * 1024) }));
    expect([declared.status, (await errorOf(declared))['error']]).toEqual([422, 'unprocessable_entity']);
    expect(await sendChunked(own.key, 17)).toBe(422);
  });

  it('refuses what is no plain JSON by its headers', async () => {
    const types = [undefined, 'text/plain', 'multipart/form-data; boundary=x', 'application/x-www-form-urlencoded'];
    for (const type of types) {
      const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
      const body = Buffer.from(JSON.stringify(mail()));
      const response = await fetch(`${gateway.url}/emails`, {
        method: 'POST',
        headers: { authorization: `Bearer ${own.key}`, ...headers },
        body,
      });
      expect([type, response.status]).toEqual([type, 400]);
    }
    const gzip = await gateway.call(own.key, 'POST', '/emails', mail(), { 'content-encoding': 'gzip' });
    expect([gzip.status, await errorOf(gzip)]).toMatchObject([
      415,
      { error: 'unsupported_media_type', name: 'validation_error' },
    ]);
  });

  it.each(['/emails?to=a+label@example.com', '/emails?from=a%20b@example.com', '/captured?to=a+label@example.com'])(
    'does not look for an address with a space: %s',
    async (path) => {
      const answer = await gateway.call(own.key, 'GET', path);
      const { message } = (await answer.json()) as { message: string };
      expect([answer.status, message]).toEqual([400, expect.stringContaining('%2B')]);
    },
  );

  it('names ignored fields and pollutes nothing', async () => {
    const response = await gateway.call(own.key, 'POST', '/emails', mail({ topic_id: 'x', tracking: {} }));
    expect(response.status).toBe(201);
    expect(response.headers.get('x-ignored-fields')).toBe('topic_id, tracking');
    for (const body of ['{"__proto__":{"polluted":1}}', '{"tags":{"constructor":{"prototype":{"polluted":1}}}}'])
      expect((await gateway.call(own.key, 'POST', '/emails', body)).status).toBe(400);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it('repeats an answer for an idempotency key, and refuses another body', async () => {
    const headers = { 'idempotency-key': 'order-7' };
    const first = await gateway.call(own.key, 'POST', '/emails', mail(), headers);
    const again = await gateway.call(own.key, 'POST', '/v1/emails', mail(), headers);
    expect(await again.json()).toEqual(await first.json());
    expect([first, again].map((answer) => answer.headers.get('idempotent-replayed'))).toEqual([null, 'true']);
    const changed = await gateway.call(own.key, 'POST', '/emails', mail({ subject: 'Other' }), headers);
    expect([changed.status, (await errorOf(changed))['name']]).toEqual([409, 'invalid_idempotent_request']);
    const bad = await gateway.call(own.key, 'POST', '/emails', mail(), { 'idempotency-key': 'x'.repeat(257) });
    expect([bad.status, (await errorOf(bad))['name']]).toEqual([400, 'invalid_idempotency_key']);
  });

  it('does not ask for a body before the key is known', async () => {
    expect(await expectContinue(null)).toEqual({ invited: false, status: 401 });
    expect(await expectContinue(own.key)).toEqual({ invited: true, status: 201 });
  });
});

describe('the other resources', () => {
  it('list domains as a bare array, with their statistics', async () => {
    const domains = (await (await gateway.call(own.key, 'GET', '/domains')).json()) as { id: string }[];
    expect(domains).toEqual([expect.objectContaining({ id: own.domainId, name: own.domain, status: 'active' })]);
    gateway.counts.accepted = 5;
    const stats = await gateway.call(own.key, 'GET', `/domains/${own.domainId}/stats?from=2026-01-01T00:00:00Z`);
    expect(await stats.json()).toMatchObject({
      domain_id: own.domainId,
      from: '2026-01-01T00:00:00.000Z',
      accepted: 5,
      clicked: 0,
    });
    expect((await gateway.call(other.key, 'GET', `/domains/${own.domainId}/stats`)).status).toBe(404);
    const bad = await gateway.call(own.key, 'GET', `/domains/${own.domainId}/stats?from=now&to=2026-01-01&to=x`);
    expect([bad.status, await errorOf(bad)]).toMatchObject([
      400,
      { name: 'invalid_parameter', details: [{ field: 'from' }, { field: 'to' }] },
    ]);
  });

  it('make, list and delete webhooks', async () => {
    const url = 'http://127.0.0.1:8123/hook';
    const made = await gateway.call(own.key, 'POST', '/webhooks', { url, events: ['*'] });
    expect(made.status).toBe(201);
    const webhook = (await made.json()) as { id: string; secret: string };
    expect(webhook).toMatchObject({ object: 'webhook', url, secret: expect.stringMatching(/^whsec_/) });
    const [listed] = (await (await gateway.call(own.key, 'GET', '/webhooks')).json()) as object[];
    expect(listed).not.toHaveProperty('secret');
    expect((await gateway.call(other.key, 'DELETE', `/webhooks/${webhook.id}`)).status).toBe(404);
    const deleted = await gateway.call(own.key, 'DELETE', `/webhooks/${webhook.id}`);
    expect([deleted.status, await deleted.json()]).toEqual([200, { object: 'webhook', id: webhook.id, deleted: true }]);
    expect((await gateway.call(own.key, 'DELETE', `/webhooks/${webhook.id}`)).status).toBe(404);
    const empty = await gateway.call(own.key, 'POST', '/webhooks', {});
    expect(await errorOf(empty)).toMatchObject({ name: 'missing_required_field', details: [{}, {}] });
    const odd = await gateway.call(own.key, 'POST', '/webhooks', { url: 7, events: 'x' });
    expect([odd.status, (await errorOf(odd))['details']]).toMatchObject([400, [{ field: 'url' }, { field: 'events' }]]);
  });

  it('show the capture inbox, byte for byte', async () => {
    const content = Buffer.from('Subject: \xe9\r\n\r\nbody\r\n', 'latin1');
    const { id: emailId } = (await (await gateway.call(own.key, 'POST', '/emails', mail())).json()) as { id: string };
    const capture = { emailId, mailFrom: 'b@example.org', rcptTo: ['ada@example.com'], content };
    await gateway.app.get(CapturedMail).store(capture);
    await gateway.app.get(CapturedMail).store({ ...capture, rcptTo: ['bob@example.com'] });
    const page = await gateway.call(own.key, 'GET', '/captured?to=Ada@EXAMPLE.com');
    const { data } = (await page.json()) as { data: { id: string }[] };
    expect(data).toHaveLength(1);
    const raw = await gateway.call(own.key, 'GET', `/captured/${data[0].id}/raw`);
    expect(raw.headers.get('content-type')).toBe('message/rfc822');
    expect(Buffer.from(await raw.arrayBuffer())).toEqual(content);
    expect((await gateway.call(other.key, 'GET', `/captured/${data[0].id}/raw`)).status).toBe(404);
    for (const query of ['limit=0', 'limit=101', 'limit=x', 'limit=1&limit=2', 'after=em_1', 'email_id=7'])
      expect([query, (await gateway.call(own.key, 'GET', `/captured?${query}`)).status]).toEqual([query, 400]);
    const first = (await (await gateway.call(own.key, 'GET', '/captured?limit=1')).json()) as Record<string, string>;
    expect(first).toMatchObject({ object: 'list', has_more: true });
    const second = await gateway.call(own.key, 'GET', `/captured?limit=1&after=${first['next_cursor']}`);
    expect(await second.json()).toMatchObject({ has_more: false, next_cursor: null });
    const cleared = await gateway.call(own.key, 'DELETE', '/captured');
    expect([cleared.status, await cleared.json()]).toEqual([200, { object: 'captured', deleted: true, count: 2 }]);
  });

  it('answer operations without a key', async () => {
    expect(await (await gateway.call(null, 'GET', '/healthz')).json()).toEqual({ status: 'ok' });
    expect(await (await gateway.call(null, 'GET', '/readyz')).json()).toEqual({ status: 'ready' });
    expect(await (await gateway.call(null, 'GET', '/')).json()).toMatchObject({ name: 'postloft' });
    expect(await (await gateway.call(null, 'GET', '/metrics')).text()).toContain('process_cpu');
    const proxied = await gateway.call(null, 'GET', '/metrics', undefined, { 'x-forwarded-for': '203.0.113.7' });
    expect(proxied.status).toBe(404);
  });

  it('answer bytes that are no HTTP in the same shape', async () => {
    const answer = await raw('NONSENSE\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(answer.slice(answer.indexOf('{')))).toMatchObject({ statusCode: 400, error: 'bad_request' });
    const twoLengths =
      'POST /emails HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';
    expect(await raw(twoLengths)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('answer what no route has seen with the headers of every answer', async () => {
    const nobody = 'GET /emails HTTP/1.1\r\nConnection: close\r\n\r\n';
    const endless = `GET /emails HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`;
    for (const bytes of ['NONSENSE\r\n\r\n', nobody, endless]) {
      const answer = await raw(bytes);
      const [head, body] = answer.split('\r\n\r\n');
      expect(head).toMatch(/^HTTP\/1\.1 400 /);
      for (const name of ['x-request-id', 'x-api-version', 'x-delivery-mode', 'cache-control'])
        expect(head, bytes.slice(0, 30)).toContain(`\r\n${name}: `);
      const { request_id } = JSON.parse(body) as { request_id: string };
      expect(head).toContain(request_id);
    }
  });
});

describe('a body of hostile structure', () => {
  it.each([['['], ['{},'], ['{"a":'], ['"",'], ['0,']])(
    'of %s × 16 MB costs no more than an honest one',
    async (piece) => {
      const fill = (text: string) => text.repeat(Math.floor((16 * 1024 * 1024 - 100) / text.length));
      const send = async (body: string, name: string) => {
        const response = await gateway.call(own.key, 'POST', '/emails', body);
        expect(await response.json()).toMatchObject({ statusCode: 400, name });
      };
      const [honest, hostile] = [`{"subject":"${fill('abcd')}"}`, fill(piece)];
      // The client is in this process too; a parse of such a body takes seconds, and one in slices no less.
      const ordinary = await cost(() => send(honest, 'missing_required_field'));
      expect(await cost(() => send(hostile, 'validation_error'))).toBeLessThan(2 * ordinary);
    },
  );
});

function raw(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(gateway.port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (chunk) => (answer += chunk.toString()));
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

function sendChunked(key: string, megabytes: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sending = request(`${gateway.url}/emails`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    });
    sending.on('response', (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sending.on('error', reject);
    for (let i = 0; i < megabytes; i++) sending.write('x'.repeat(1024 * 1024));
    sending.end();
  });
}

function expectContinue(key: string | null): Promise<{ invited: boolean; status: number | undefined }> {
  return new Promise((resolve, reject) => {
    let invited = false;
    const body = JSON.stringify(mail());
    const sending = request(`${gateway.url}/emails`, {
      method: 'POST',
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        expect: '100-continue',
      },
    });
    sending.on('continue', () => {
      invited = true;
      sending.end(body);
    });
    sending.on('response', (response) => {
      response.resume();
      resolve({ invited, status: response.statusCode });
      sending.destroy();
    });
    sending.on('error', reject);
    sending.flushHeaders();
  });
}
