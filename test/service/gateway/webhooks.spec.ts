import { newId } from '#libs/contracts';
import type { Test } from 'supertest';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startGatewayApp, type GatewayApp, type Verb } from '../../support/fixtures/gateway-app.js';

type Body = Record<string, unknown>;
interface Problem {
  field: string;
  code: string;
  message: string;
}

let gateway: GatewayApp;
let own: Awaited<ReturnType<GatewayApp['account']>>;
let other: typeof own;

beforeAll(async () => {
  gateway = await startGatewayApp({ ALLOW_PRIVATE_WEBHOOKS: 'false' });
});
beforeEach(async () => {
  own = await gateway.account();
  other = await gateway.account();
});
afterAll(() => gateway.stop());

const url = 'https://hooks.example.com/mail';

const api = () => gateway.agent(own.key);
async function answerOf(test: Test): Promise<[number, Body]> {
  const { status, body } = await test;
  return [status, body as Body];
}

async function problems(test: Test): Promise<[string, string][]> {
  const [status, body] = await answerOf(test);
  expect([status, body['error']]).toEqual([400, 'bad_request']);
  const details = body['details'] as Problem[];
  for (const { message } of details) expect(message).toMatch(/^(must|is required)/);
  return details.map(({ field, code }) => [field, code]);
}

const create = async (fields: object = {}) =>
  (
    await answerOf(
      api()
        .post('/webhooks')
        .send({ url, events: ['*'], ...fields }),
    )
  )[1] as Body & { id: string; secret: string };

describe('POST /webhooks', () => {
  it('answers 201 with the secret, which no other answer has', async () => {
    const [status, { secret, ...webhook }] = await answerOf(
      api()
        .post('/webhooks')
        .send({ url, events: ['email.sent'] }),
    );
    expect(status).toBe(201);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(webhook).toMatchObject({
      id: expect.stringMatching(/^wh_[0-9a-f]{32}$/),
      object: 'webhook',
      url,
      events: ['email.sent'],
      domain_ids: null,
      status: 'enabled',
    });
    expect(await answerOf(api().get('/webhooks'))).toEqual([200, [webhook]]);
    const figures = { lag_seconds: 0, pending: 0, in_flight: 0, window: 10, paused_until: null };
    const shown = await answerOf(api().get(`/v1/webhooks/${String(webhook['id'])}`));
    expect(shown).toMatchObject([200, { ...webhook, delivery: { ...figures, last_24_hours: { delivered: 0 } } }]);
  });

  it('takes endpoint for url, and the domains whose events are wanted', async () => {
    const [status, made] = await answerOf(
      api()
        .post('/webhooks')
        .send({
          endpoint: url,
          events: ['*'],
          domain_ids: [own.domainId],
        }),
    );
    expect([status, made]).toMatchObject([201, { url, domain_ids: [own.domainId] }]);
  });

  it('tells missing fields, wrong types and wrong values of all fields at once', async () => {
    expect(await problems(api().post('/webhooks').send({}))).toEqual([
      ['url', 'required'],
      ['events', 'required'],
    ]);
    expect(await problems(api().post('/webhooks').send({ url: 7, events: 'x', domain_ids: 'all' }))).toEqual([
      ['url', 'invalid_type'],
      ['events', 'invalid_type'],
      ['domain_ids', 'invalid_type'],
    ]);
    expect(
      await problems(
        api()
          .post('/webhooks')
          .send({
            endpoint: 'http://hooks.example.com/',
            events: ['email.sent', 'email.eaten', null],
            domain_ids: [other.domainId, own.domainId, 'dom_1', {}],
          }),
      ),
    ).toEqual([
      ['endpoint', 'invalid_scheme'],
      ['events[1]', 'unknown_event'],
      ['events[2]', 'unknown_event'],
      ['domain_ids[0]', 'unknown_domain'],
      ['domain_ids[2]', 'invalid_id'],
      ['domain_ids[3]', 'invalid_id'],
    ]);
    expect(
      await problems(api().post('/webhooks').send({ url: 'https://10.0.0.1/', events: [], domain_ids: [] })),
    ).toEqual([
      ['url', 'private_address'],
      ['events', 'too_few'],
      ['domain_ids', 'too_few'],
    ]);
    const [, missing] = await answerOf(api().post('/webhooks').send({ url: 'https://localhost/' }));
    expect(missing).toMatchObject({ name: 'missing_required_field', message: expect.stringContaining('events is') });
    expect(await problems(api().post('/webhooks').send([url]))).toEqual([['', 'invalid_type']]);
  });

  it('refuses the eleventh', async () => {
    for (let i = 0; i < 10; i++) await create();
    const [status, answer] = await answerOf(
      api()
        .post('/webhooks')
        .send({ url, events: ['*'] }),
    );
    expect([status, answer]).toMatchObject([409, { error: 'conflict', details: [{ code: 'limit_reached' }] }]);
  });
});

describe('PATCH /webhooks/:id', () => {
  it('changes what is given', async () => {
    const { id } = await create();
    const next = 'https://hooks.example.com/next';
    expect(await answerOf(api().patch(`/webhooks/${id}`).send({ endpoint: next }))).toMatchObject([
      200,
      { url: next, events: ['*'] },
    ]);
    expect(
      await answerOf(
        api()
          .patch(`/webhooks/${id}`)
          .send({ events: ['email.bounced'] }),
      ),
    ).toMatchObject([200, { url: next, events: ['email.bounced'], status: 'enabled' }]);
    const disabled = { status: 'disabled', disabled_reason: 'manual' };
    expect(await answerOf(api().patch(`/webhooks/${id}`).send({ status: 'disabled' }))).toMatchObject([200, disabled]);
    expect(await answerOf(api().get(`/webhooks/${id}`))).toMatchObject([200, disabled]);
    expect(
      await answerOf(
        api()
          .patch(`/webhooks/${id}`)
          .send({ status: 'enabled', domain_ids: [own.domainId] }),
      ),
    ).toMatchObject([200, { status: 'enabled', disabled_reason: null, domain_ids: [own.domainId] }]);
    expect(await answerOf(api().patch(`/webhooks/${id}`).send({ domain_ids: null }))).toMatchObject([
      200,
      { domain_ids: null },
    ]);
    expect(await answerOf(api().patch(`/webhooks/${id}`).send({}))).toMatchObject([200, { url: next }]);
  });

  it('tells all problems at once and changes nothing then', async () => {
    const { id } = await create();
    expect(
      await problems(
        api()
          .patch(`/webhooks/${id}`)
          .send({ url: 1, events: ['*', 'email.sent'], status: 1, domain_ids: {} }),
      ),
    ).toEqual([
      ['url', 'invalid_type'],
      ['events', 'not_alone'],
      ['domain_ids', 'invalid_type'],
      ['status', 'invalid_value'],
    ]);
    expect(await answerOf(api().get(`/webhooks/${id}`))).toMatchObject([
      200,
      { url, events: ['*'], status: 'enabled' },
    ]);
  });
});

describe('POST /webhooks/:id/signing-secret/rotate', () => {
  it('answers with the new secret and the end of the old one', async () => {
    const { id, secret } = await create();
    const path = `/webhooks/${id}/signing-secret/rotate`;
    const [status, rotated] = await answerOf(api().post(path));
    expect([status, rotated]).toEqual([
      200,
      {
        id,
        object: 'webhook',
        secret: expect.stringMatching(/^whsec_/),
        previous_secret_expires_at: expect.any(String),
      },
    ]);
    expect(rotated['secret']).not.toBe(secret);
    const left = Date.parse(String(rotated['previous_secret_expires_at'])) - Date.now();
    expect(Math.abs(left - 24 * 3600_000)).toBeLessThan(60_000);
    expect(await answerOf(api().post(path).send({ overlap_hours: 0 }))).toMatchObject([
      200,
      { previous_secret_expires_at: null },
    ]);
    for (const overlap_hours of [-1, 73, 0.5, '1'])
      expect(await problems(api().post(path).send({ overlap_hours }))).toEqual([['overlap_hours', 'out_of_range']]);
  });
});

describe('the events of a webhook', () => {
  it('begin with a test, which can be listed, read and sent again', async () => {
    const { id } = await create({ events: ['email.sent'] });
    const [status, event] = await answerOf(api().post(`/webhooks/${id}/test`));
    expect([status, event]).toMatchObject([
      201,
      {
        id: expect.stringMatching(/^evt_/),
        object: 'webhook_event',
        delivery_id: expect.stringMatching(/^dlv_/),
        webhook_id: id,
        type: 'webhook.test',
        status: 'pending',
        attempts: 0,
        last_status: null,
        last_error: null,
        next_attempt_at: expect.any(String),
      },
    ]);
    const path = `/webhooks/${id}/events`;
    expect(await answerOf(api().get(path))).toEqual([
      200,
      { object: 'list', has_more: false, data: [event], next_cursor: null },
    ]);
    const eventPath = `${path}/${String(event['id'])}`;
    expect(await answerOf(api().get(eventPath))).toEqual([
      200,
      {
        ...event,
        payload: {
          type: 'webhook.test',
          created_at: expect.any(String),
          data: { webhook_id: id, message: expect.any(String) },
        },
      },
    ]);
    expect(await answerOf(api().get(`${eventPath}/attempts`))).toMatchObject([200, { object: 'list', data: [] }]);
    expect(await answerOf(api().post(`${eventPath}/replay`))).toMatchObject([
      200,
      { id: event['id'], status: 'pending' },
    ]);
    const from = new Date(Date.now() - 60_000).toISOString();
    await answerOf(api().patch(`/webhooks/${id}`).send({ status: 'disabled' }));
    for (const [again, body] of [
      [`/webhooks/${id}/test`, undefined],
      [`${eventPath}/replay`, undefined],
      [`/webhooks/${id}/replay`, { from }],
    ] as const)
      expect(await answerOf(api().post(again).send(body))).toMatchObject([
        409,
        { details: [{ code: 'webhook_disabled' }] },
      ]);
    expect(await answerOf(api().get(`${path}?status=failed&type=webhook.test`))).toMatchObject([
      200,
      { data: [{ id: event['id'], last_error: 'endpoint_disabled' }] },
    ]);
    expect(await answerOf(api().get(`${path}?status=failed&created_before=2020-01-01T00:00:00Z`))).toMatchObject([
      200,
      { data: [] },
    ]);
  });

  it('are asked for strictly', async () => {
    const { id } = await create();
    const events = `/webhooks/${id}/events`;
    for (const [query, field] of [
      ['status=lost', 'status'],
      ['type=email.eaten', 'type'],
      ['created_after=yesterday', 'created_after'],
      ['limit=101', 'limit'],
      ['after=dlv_1', 'after'],
      [`after=${newId('evt')}`, 'after'],
      [`before=${newId('evt')}`, 'before'],
    ])
      expect((await problems(api().get(`${events}?${query}`))).map(([name]) => name)).toEqual([field]);
    expect(
      await problems(
        api().post(`/webhooks/${id}/replay`).send({ to: '2026-01-01', types: [], status: 'x', after: 'evt_1' }),
      ),
    ).toEqual([
      ['from', 'required'],
      ['to', 'invalid_timestamp'],
      ['types', 'too_few'],
      ['status', 'invalid_value'],
      ['after', 'invalid_cursor'],
    ]);
    const backwards = { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' };
    expect(await problems(api().post(`/webhooks/${id}/replay`).send(backwards))).toEqual([['to', 'out_of_range']]);
  });
});

it('answers everything of another account as if it were not there', async () => {
  const { id } = await create();
  const [, event] = await answerOf(api().post(`/webhooks/${id}/test`));
  const eventPath = `events/${String(event['id'])}`;
  const from = '2026-01-01T00:00:00Z';
  const routes: [Verb, string, object?][] = [
    ['get', ''],
    ['patch', '', { status: 'disabled' }],
    ['delete', ''],
    ['post', '/test'],
    ['post', '/signing-secret/rotate'],
    ['get', '/events'],
    ['get', `/${eventPath}`],
    ['get', `/${eventPath}/attempts`],
    ['post', `/${eventPath}/replay`],
    ['post', '/replay', { from }],
  ];
  for (const [method, path, body] of routes) {
    const ask = (webhook: string) =>
      answerOf(gateway.agent(other.key)[method](`/webhooks/${webhook}${path}`).send(body));
    const [status, { request_id: _, ...foreign }] = await ask(id);
    const [, { request_id: __, ...unknown }] = await ask(newId('wh'));
    expect([method, path, status, foreign]).toEqual([method, path, 404, unknown]);
  }
  const their = (
    await answerOf(
      gateway
        .agent(other.key)
        .post('/webhooks')
        .send({ url, events: ['*'] }),
    )
  )[1];
  for (const path of [eventPath, `${eventPath}/attempts`])
    expect((await gateway.agent(other.key).get(`/webhooks/${String(their['id'])}/${path}`)).status).toBe(404);
  expect(await answerOf(api().get(`/webhooks/${id}`))).toMatchObject([200, { status: 'enabled' }]);
});

it('answers ids that are none as those that nobody has', async () => {
  const { id } = await create();
  for (const odd of [`${id}0`, '%ED%A0%80', '💌', id.toUpperCase(), 'x'.repeat(900)])
    for (const [method, path, body] of [
      ['get', odd],
      ['patch', odd, {}],
      ['delete', odd],
      ['post', `${odd}/test`],
      ['post', `${odd}/signing-secret/rotate`],
      ['get', `${odd}/events`],
      ['post', `${odd}/replay`, { from: '2026-01-01T00:00:00Z' }],
      ['get', `${id}/events/${odd}`],
      ['get', `${id}/events/${odd}/attempts`],
      ['post', `${id}/events/${odd}/replay`],
    ] as [Verb, string, object?][]) {
      const { status } = await api()[method](`/webhooks/${path}`).send(body);
      // What is not UTF-8 at all is refused before there is a route.
      expect([method, path, status]).toEqual([method, path, odd === '%ED%A0%80' ? expect.any(Number) : 404]);
      expect(status).toBeLessThan(500);
    }
});

it('takes any time for a range', async () => {
  const { id } = await create();
  for (const time of ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z', '0000-01-01T00:00:00+23:59']) {
    const query = `created_after=${encodeURIComponent(time)}&created_before=${encodeURIComponent(time)}`;
    expect((await answerOf(api().get(`/webhooks/${id}/events?${query}`)))[0]).toBe(200);
    expect((await answerOf(api().post(`/webhooks/${id}/replay`).send({ from: time })))[0]).toBe(202);
  }
});

it('are for keys that may, and for no other', async () => {
  const { key } = await gateway.account('sending_access');
  const { id } = await create();
  for (const [method, path] of [
    ['get', '/webhooks'],
    ['post', '/webhooks'],
    ['post', `/webhooks/${id}/test`],
    ['get', `/webhooks/${id}/events`],
    ['post', `/webhooks/${id}/signing-secret/rotate`],
  ] as const)
    expect([method, path, (await gateway.agent(key)[method](path)).status]).toEqual([method, path, 403]);
});
