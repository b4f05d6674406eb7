import { request } from 'node:http';
import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Response } from 'supertest';
import { Accounts } from '#libs/accounts';
import { CapturedMessages } from '#libs/emails';
import packageFile from '../../../package.json' with { type: 'json' };
import { type GatewayApp, sharedGateway, type Verb } from '../../support/fixtures/gateway-app.js';

type Account = Awaited<ReturnType<GatewayApp['account']>>;
let gateway: GatewayApp;
let own: Account;
let other: Account;

beforeAll(async () => {
  gateway = await sharedGateway();
  [own, other] = [await gateway.account(), await gateway.account()];
});

const mail = (over: object = {}) => ({
  from: `Shop <orders@${own.domain}>`,
  to: 'ada@example.com',
  subject: 'Your order',
  text: 'Thank you.',
  ...over,
});
const errorOf = (response: Response) => response.body as Record<string, unknown>;

describe('POST /emails', () => {
  it('answers 201 with the id alone, under both paths, and shows the mail afterwards', async () => {
    for (const path of ['/emails', '/v1/emails', '//v1//emails']) {
      const response = await gateway
        .agent(own.key)
        .post(path)
        .send(mail({ tags: { kind: 'order' } }));
      expect(response.status).toBe(201);
      const created = response.body as { id: string };
      expect(created).toEqual({ id: expect.stringMatching(/^em_[0-9a-f]{32}$/), object: 'email' });
      const shown = await gateway.agent(own.key).get(`/emails/${created.id}`);
      expect(shown.body).toMatchObject({
        id: created.id,
        status: 'queued',
        subject: 'Your order',
        tags: { kind: 'order' },
        domain_id: own.domainId,
      });
      expect((await gateway.agent(other.key).get(`/emails/${created.id}`)).status).toBe(404);
    }
  });

  it('carries the common headers on every answer', async () => {
    for (const response of [
      await gateway.agent(own.key).post('/emails').send(mail()),
      await gateway.agent().post('/emails').send(mail()),
      await gateway.agent(own.key).get('/nowhere'),
      await gateway.agent().get('/%zz'),
      await gateway.agent().get('/healthz'),
    ]) {
      expect(response.headers['x-api-version']).toBe('1');
      expect(response.headers['x-request-id']).toMatch(/^req_/);
      expect(response.headers['x-delivery-mode']).toBe('capture');
      expect(response.headers['x-content-type-options']).toBe('nosniff');
      expect(response.headers['content-security-policy']).toContain("default-src 'none'");
      const body = response.body as { request_id?: string };
      if (response.status >= 400) expect(body.request_id).toBe(response.headers['x-request-id']);
    }
  });

  it('lists every problem of a body at once', async () => {
    const response = await gateway
      .agent(own.key)
      .post('/emails')
      .send({ to: ['a@example.com', 'x'], tags: { 'a b': 1 } });
    expect(response.status).toBe(400);
    expect(errorOf(response)).toMatchObject({
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

  it('runs the checks in the documented order', async () => {
    const blocked = await gateway.account('sending_access');
    await gateway.app.get(Accounts).setStanding(blocked.accountId, 'blocked');
    const cases: [string | null, Verb, string, string | object | undefined, number, string][] = [
      [null, 'post', '/emails', '{', 401, 'missing_api_key'],
      ['pl_live_nonsense', 'post', '/emails', '{', 401, 'invalid_api_key'],
      [blocked.key, 'get', '/domains', undefined, 403, 'invalid_access'],
      [(await gateway.account('sending_access')).key, 'get', '/domains', undefined, 403, 'restricted_api_key'],
      [own.key, 'post', '/emails', '{', 400, 'validation_error'],
      [own.key, 'post', '/emails', mail({ from: 'a@unknown.example' }), 422, 'invalid_from_address'],
      [null, 'get', '/nowhere', undefined, 404, 'not_found'],
      ['pl_live_nonsense', 'post', '/v1/nowhere', '{', 404, 'not_found'],
      [null, 'put', '/emails', '{', 401, 'missing_api_key'],
      [own.key, 'get', '/nowhere', undefined, 404, 'not_found'],
      [own.key, 'put', '/emails', '{', 405, 'method_not_allowed'],
      [own.key, 'delete', '/v1/emails/em_1', undefined, 405, 'method_not_allowed'],
    ];
    for (const [key, method, path, body, status, name] of cases) {
      const response = await gateway.agent(key)[method](path).type('json').send(body);
      expect([path, response.status, errorOf(response)['name']]).toEqual([path, status, name]);
    }
    expect((await gateway.agent(own.key).put('/emails').send({})).headers.allow).toBe('GET, HEAD, POST');
  });

  it('answers 422 for bodies over the limits, declared or found, and never 413', async () => {
    const attachments = [{ filename: 'a.txt', content: 'A'.repeat(14 * 1024 * 1024), content_type: 'text/plain' }];
    const found = await gateway.agent(own.key).post('/emails').send(mail({ attachments }));
    expect([found.status, errorOf(found)['error']]).toEqual([422, 'unprocessable_entity']);
    const declared = await gateway
      .agent(own.key)
      .post('/emails')
      .send(mail({ text: 'x'.repeat(17 * 1024 * 1024) }));
    expect([declared.status, errorOf(declared)['error']]).toEqual([422, 'unprocessable_entity']);
    expect(await sendChunked(own.key, 17)).toBe(422);
  });

  it('refuses what is no plain JSON by its headers', async () => {
    const types = [undefined, 'text/plain', 'multipart/form-data; boundary=x', 'application/x-www-form-urlencoded'];
    for (const type of types) {
      const body = JSON.stringify(mail());
      const sending = gateway.agent(own.key).post('/emails');
      const response = await (type === undefined ? sending.send(Buffer.from(body)) : sending.type(type).send(body));
      expect([type, response.status]).toEqual([type, 400]);
    }
    const gzip = await gateway.agent(own.key).post('/emails').set({ 'content-encoding': 'gzip' }).send(mail());
    expect([gzip.status, errorOf(gzip)]).toMatchObject([
      415,
      { error: 'unsupported_media_type', name: 'validation_error' },
    ]);
  });

  it.each(['/emails?to=a+label@example.com', '/emails?from=a%20b@example.com', '/captured?to=a+label@example.com'])(
    'does not look for an address with a space: %s',
    async (path) => {
      const answer = await gateway.agent(own.key).get(path);
      const { message } = answer.body as { message: string };
      expect([answer.status, message]).toEqual([400, expect.stringContaining('%2B')]);
    },
  );

  it('names ignored fields and pollutes nothing', async () => {
    const body = mail({
      topic_id: 'x',
      tracking: { color: 1 },
      attachments: [{ filename: 'a.txt', content: 'aGk=', size: 2 }],
      list_unsubscribe: { mailto: 'stop@example.com', text: 'Stop' },
    });
    const response = await gateway.agent(own.key).post('/emails').send(body);
    expect(response.status).toBe(201);
    expect(decodeURIComponent(response.headers['x-ignored-fields'])).toBe(
      'topic_id, tracking.color, attachments[0].size, list_unsubscribe.text',
    );
    for (const text of ['{"__proto__":{"polluted":1}}', '{"tags":{"constructor":{"prototype":{"polluted":1}}}}'])
      expect((await gateway.agent(own.key).post('/emails').type('json').send(text)).status).toBe(400);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it('repeats an answer for an idempotency key, and refuses another body', async () => {
    const headers = { 'idempotency-key': 'order-7' };
    const first = await gateway.agent(own.key).post('/emails').set(headers).send(mail());
    const again = await gateway.agent(own.key).post('/v1/emails').set(headers).send(mail());
    expect(again.body).toEqual(first.body);
    expect([first, again].map((answer) => answer.headers['idempotent-replayed'])).toEqual([undefined, 'true']);
    const changed = await gateway
      .agent(own.key)
      .post('/emails')
      .set(headers)
      .send(mail({ subject: 'Other' }));
    expect([changed.status, errorOf(changed)['name']]).toEqual([409, 'invalid_idempotent_request']);
    const bad = await gateway
      .agent(own.key)
      .post('/emails')
      .set({ 'idempotency-key': 'x'.repeat(257) })
      .send(mail());
    expect([bad.status, errorOf(bad)['name']]).toEqual([400, 'invalid_idempotency_key']);
  });

  it('does not ask for a body before the key is known', async () => {
    expect(await expectContinue(null)).toEqual({ invited: false, status: 401 });
    expect(await expectContinue(own.key)).toEqual({ invited: true, status: 201 });
  });
});

describe('the other resources', () => {
  it('list domains as a bare array, with their statistics', async () => {
    const domains = (await gateway.agent(own.key).get('/domains')).body as { id: string }[];
    expect(domains).toEqual([expect.objectContaining({ id: own.domainId, name: own.domain, status: 'active' })]);
    gateway.counts.accepted = 5;
    const stats = await gateway.agent(own.key).get(`/domains/${own.domainId}/stats?from=2026-01-01T00:00:00Z`);
    expect(stats.body).toMatchObject({
      domain_id: own.domainId,
      from: '2026-01-01T00:00:00.000Z',
      accepted: 5,
      clicked: 0,
    });
    expect((await gateway.agent(other.key).get(`/domains/${own.domainId}/stats`)).status).toBe(404);
    const bad = await gateway.agent(own.key).get(`/domains/${own.domainId}/stats?from=now&to=2026-01-01&to=x`);
    expect([bad.status, errorOf(bad)]).toMatchObject([
      400,
      { name: 'invalid_parameter', details: [{ field: 'from' }, { field: 'to' }] },
    ]);
  });

  it('make, list and delete webhooks', async () => {
    const url = 'http://127.0.0.1:8123/hook';
    const made = await gateway
      .agent(own.key)
      .post('/webhooks')
      .send({ url, events: ['*'] });
    expect(made.status).toBe(201);
    const webhook = made.body as { id: string; secret: string };
    expect(webhook).toMatchObject({ object: 'webhook', url, secret: expect.stringMatching(/^whsec_/) });
    const [listed] = (await gateway.agent(own.key).get('/webhooks')).body as object[];
    expect(listed).not.toHaveProperty('secret');
    expect((await gateway.agent(other.key).delete(`/webhooks/${webhook.id}`)).status).toBe(404);
    const deleted = await gateway.agent(own.key).delete(`/webhooks/${webhook.id}`);
    expect([deleted.status, deleted.body]).toEqual([200, { object: 'webhook', id: webhook.id, deleted: true }]);
    expect((await gateway.agent(own.key).delete(`/webhooks/${webhook.id}`)).status).toBe(404);
    const empty = await gateway.agent(own.key).post('/webhooks').send({});
    expect(errorOf(empty)).toMatchObject({ name: 'missing_required_field', details: [{}, {}] });
    const odd = await gateway.agent(own.key).post('/webhooks').send({ url: 7, events: 'x' });
    expect([odd.status, errorOf(odd)['details']]).toMatchObject([400, [{ field: 'url' }, { field: 'events' }]]);
  });

  it('show the capture inbox, byte for byte', async () => {
    const content = Buffer.from('Subject: \xe9\r\n\r\nbody\r\n', 'latin1');
    const { id: emailId } = (await gateway.agent(own.key).post('/emails').send(mail())).body as { id: string };
    const capture = { emailId, mailFrom: 'b@example.org', rcptTo: ['ada@example.com'], content };
    await gateway.app.get(CapturedMessages).store(capture);
    await gateway.app.get(CapturedMessages).store({ ...capture, rcptTo: ['bob@example.com'] });
    const page = await gateway.agent(own.key).get('/captured?to=Ada@EXAMPLE.com');
    const { data } = page.body as { data: { id: string }[] };
    expect(data).toHaveLength(1);
    for (const [search, count] of [
      ['BOB@ex', 1],
      ['DA@ex', 2],
      ['nobody@', 0],
      [mail().subject.toUpperCase(), 2],
    ] as const) {
      const found = await gateway.agent(own.key).get(`/captured?${new URLSearchParams({ search }).toString()}`);
      expect([search, (found.body as { data: unknown[] }).data.length]).toEqual([search, count]);
    }
    const raw = await gateway.agent(own.key).get(`/captured/${data[0].id}/raw`).responseType('blob');
    expect(raw.headers['content-type']).toBe('message/rfc822');
    expect(raw.body).toEqual(content);
    expect((await gateway.agent(other.key).get(`/captured/${data[0].id}/raw`)).status).toBe(404);
    for (const query of ['limit=0', 'limit=101', 'limit=x', 'limit=1&limit=2', 'after=em_1', 'email_id=7'])
      expect([query, (await gateway.agent(own.key).get(`/captured?${query}`)).status]).toEqual([query, 400]);
    const first = (await gateway.agent(own.key).get('/captured?limit=1')).body as Record<string, string>;
    expect(first).toMatchObject({ object: 'list', has_more: true });
    const second = await gateway.agent(own.key).get(`/captured?limit=1&after=${first['next_cursor']}`);
    expect(second.body).toMatchObject({ has_more: false, next_cursor: null });
    const cleared = await gateway.agent(own.key).delete('/captured');
    expect([cleared.status, cleared.body]).toEqual([200, { object: 'captured', deleted: true, count: 2 }]);
  });

  it('answer operations without a key', async () => {
    expect((await gateway.agent().get('/healthz')).body).toEqual({ status: 'ok', version: packageFile.version });
    expect((await gateway.agent().get('/readyz')).body).toEqual({ status: 'ready' });
    expect((await gateway.agent().get('/metrics')).text).toContain('process_cpu');
    const proxied = await gateway.agent().get('/metrics').set({ 'x-forwarded-for': '203.0.113.7' });
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
  it.each([['['], ['{},'], ['{"a":'], ['"",'], ['0,']])('of %s × 16 MB is refused', async (piece) => {
    const body = piece.repeat(Math.floor((16 * 1024 * 1024 - 100) / piece.length));
    const response = await gateway.agent(own.key).post('/emails').type('json').send(body);
    expect(response.body).toMatchObject({ statusCode: 400, name: 'validation_error' });
  });
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
