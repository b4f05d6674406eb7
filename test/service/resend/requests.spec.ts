import { createConnection } from 'node:net';
import { Resend } from 'resend';
import { afterEach, describe, expect, vi } from 'vitest';
import { good, refused, uuid } from '../../support/resend/resend-client.js';
import { resendTest } from '../../support/resend/resend-tests.js';
const it = resendTest
  .extend('settings', { scope: 'file' }, { RESEND_HOST: 'api.example.com' })
  .extend(
    'send',
    ({ own }) =>
      (client: Resend) =>
        client.emails.send({ from: `shop@${own.domain}`, to: 'ada@example.net', subject: 'Hello', text: 'Hello' }),
  )
  /** The bytes of an answer to exactly these bytes. */
  .extend(
    'raw',
    ({ gateway }) =>
      function raw(request: string): Promise<string> {
        return new Promise((resolve, reject) => {
          let answer = '';
          const socket = createConnection(gateway.port, '127.0.0.1', () => socket.write(request));
          socket.on('data', (chunk) => (answer += chunk.toString()));
          socket.on('end', () => resolve(answer));
          socket.on('error', reject);
        });
      },
  );

afterEach(() => vi.unstubAllEnvs());

const ID = '01978c0e-5f7b-7c3a-9d21-f0b64c1e88aa';
const ABSENT = [
  '/broadcasts',
  `/broadcasts/${ID}`,
  `/broadcasts/${ID}/send`,
  '/contacts',
  `/contacts/${ID}`,
  `/contacts/${ID}/topics`,
  '/contacts/imports',
  '/contact-properties',
  `/audiences/${ID}/contacts`,
  '/segments',
  '/topics',
  `/topics/${ID}`,
  '/automations',
  `/automations/${ID}/runs`,
  '/events',
  '/events/send',
  '/inboxes',
  `/inboxes/${ID}/threads`,
  '/oauth/grants',
  '/templates',
  `/templates/${ID}/publish`,
];

describe('what this service does not have', () => {
  it.for(ABSENT)('is not found: %s', async (path, { resend }) => {
    const ways = [
      resend.get(path),
      resend.post(path, { name: 'x' }),
      // Without a body, and still said to be JSON.
      resend.post(path),
      resend.patch(path, { name: 'x' }),
      resend.put(path, { name: 'x' }),
      resend.delete(path),
    ];
    for (const way of ways) expect(await refused(way)).toEqual([404, 'not_found']);
  });

  it('is told by the calls of the package', async ({ resend }) => {
    const calls = [
      resend.broadcasts.list(),
      resend.broadcasts.create({ segmentId: ID, from: 'a@example.org', subject: 'x', html: 'x' }),
      resend.contacts.list(),
      resend.contacts.create({ email: 'ada@example.net' }),
      resend.contacts.remove(ID),
      resend.segments.list(),
      resend.topics.list(),
      resend.automations.list(),
      resend.templates.list(),
      resend.inboxes.list(),
      resend.events.list(),
      resend.domains.claims.get(ID),
    ];
    for (const call of calls) expect(await refused(call as ReturnType<Resend['get']>)).toEqual([404, 'not_found']);
  });

  it('is not found without a key as well', async ({ gateway }) => {
    for (const method of ['get', 'post', 'delete'] as const)
      for (const key of [null, 're_123']) {
        const answer = await gateway.agent(key)[method]('/resend/broadcasts');
        expect([answer.status, (answer.body as { name: string }).name]).toEqual([404, 'not_found']);
      }
  });

  it('is another method of a path that exists', async ({ resend }) => {
    expect(await refused(resend.put('/domains', {}))).toEqual([405, 'method_not_allowed']);
    expect(await refused(resend.delete('/domains'))).toEqual([405, 'method_not_allowed']);
  });
});

describe('errors', () => {
  it('have the names of both interfaces in one body', async ({ gateway, own }) => {
    const answer = await gateway.agent(own.key).post('/resend/domains').send({});
    expect(answer.body).toEqual({
      statusCode: 422,
      name: 'missing_required_field',
      error: 'unprocessable_entity',
      message: 'name is required.',
      details: [{ field: 'name', code: 'required', message: 'is required' }],
      request_id: answer.headers['x-request-id'],
    });
  });

  it('are JSON where nothing else would be', async ({ gateway, own }) => {
    const post = (type: string, body: string) => gateway.agent(own.key).post('/resend/domains').type(type).send(body);
    for (const [answer, status] of [
      [await post('json', '{"name":'), 400],
      [await post('form', 'name=x'), 400],
      [await gateway.agent(own.key).get('/resend/domains/%zz'), 400],
      [await gateway.agent(own.key).get(`/resend/${'x'.repeat(8_000)}`), 404],
    ] as const) {
      expect(answer.status).toBe(status);
      expect(answer.headers['content-type']).toMatch(/^application\/json/);
      expect(answer.body).toMatchObject({ statusCode: status, message: expect.any(String) as string });
    }
  });
});

describe('requests', () => {
  it('are the same with a slash after the base URL, and below /v1', async ({ gateway, own, send }) => {
    for (const base of ['/resend/', '/resend//', '/v1/resend', '//v1//resend//']) {
      const client = new Resend(own.key, { baseUrl: gateway.url + base });
      expect(await good(send(client))).toEqual({ object: 'email', id: uuid() });
      expect((await good(client.domains.list({ limit: 1 }))).data).toHaveLength(1);
      expect(await refused(client.domains.get(ID))).toEqual([404, 'not_found']);
    }
  });

  it.for([
    ['/domains?limit=1', 'API.example.com:3000', '{"object":"list"'],
    ['/v1/domains?limit=1', 'api.example.com', '{"object":"list"'],
    ['/resend/domains?limit=1', 'api.example.com', '{"object":"list"'],
    ['/domains?limit=1', 'www.example.com', '[{'],
  ])('for %s at %s are understood by the host', async ([path, host, answer], { own, raw }) => {
    const head = `GET ${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${own.key}\r\nconnection: close\r\n\r\n`;
    expect(await raw(head)).toContain(`\r\n\r\n${answer}`);
  });

  it.for(['resend-go/3.1.1', 'resend-ruby:0.26.0', 'resend-node:6.38.0'])(
    'of %s never reach the native API, for example because the base URL has no final slash',
    async (library, { gateway, own }) => {
      const body = { from: `shop@${own.domain}`, to: 'ada@example.net', subject: 'Hello', text: 'Hello' };
      for (const path of ['/emails', '/v1/emails', '/nowhere']) {
        const answer = await gateway.agent(own.key).post(path).set({ 'user-agent': library }).send(body);
        expect(answer.body).toMatchObject({
          statusCode: 400,
          name: 'validation_error',
          message: 'The base URL of this Resend client must end with /resend/, including the final slash.',
        });
      }
      expect(
        (await gateway.agent(own.key).post('/resend/emails').set({ 'user-agent': library }).send(body)).status,
      ).toBe(200);
    },
  );

  it('find the service by the environment of the package', async ({ gateway, own, send }) => {
    vi.stubEnv('RESEND_BASE_URL', `${gateway.url}/resend`);
    vi.stubEnv('RESEND_API_KEY', own.key);
    expect(await good(send(new Resend()))).toEqual({ object: 'email', id: uuid() });
  });

  it.for(['/resend', '/resend/', '/resend/domains/', '/resend//domains', '/v1/resend/domains'])(
    'are never redirected: %s',
    async (path, { gateway, own }) => {
      const { status } = await gateway.agent(own.key).get(path);
      expect([200, 404]).toContain(status);
    },
  );

  it.for(['POST', 'DELETE', 'PATCH', 'GET'])(
    'may be %s of JSON without a body or a length',
    async (method, { own, raw }) => {
      const path = method === 'POST' ? `/resend/domains/${own.domainId}/verify` : `/resend/domains/${own.domainId}`;
      const status = method === 'DELETE' ? 404 : 200;
      const target = method === 'DELETE' ? `/resend/domains/${ID}` : path;
      const head = `${method} ${target} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${own.key}\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n`;
      const answer = await raw(head);
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(answer).toMatch(/\r\ncontent-type: application\/json/);
    },
  );

  it('have answers that are 200 with a body, whatever they make or remove', async ({ gateway, own }) => {
    const make = await gateway.agent(own.key).post('/resend/domains').send({ name: 'made.example.com' });
    const { id } = make.body as { id: string };
    const gone = await gateway.agent(own.key).delete(`/resend/domains/${id}`);
    expect([make.status, gone.status]).toEqual([200, 200]);
    expect(gone.body).toEqual({ object: 'domain', id, deleted: true });
  });
});
