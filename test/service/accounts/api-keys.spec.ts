import type { Response } from 'supertest';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Database } from '#libs/persistence';
import { passTime } from '../../support/timing/clock.js';
import { startGatewayApp, type GatewayApp } from '../../support/fixtures/gateway-app.js';

interface Key {
  id: string;
  token: string;
  [field: string]: unknown;
}
interface ErrorAnswer {
  name: string;
  details: { field: string; code: string }[];
}

let gateway: GatewayApp;
let twin: GatewayApp;
let own: Awaited<ReturnType<GatewayApp['account']>>;
let other: Awaited<ReturnType<GatewayApp['account']>>;

beforeAll(async () => {
  gateway = await startGatewayApp({ TRUST_PROXY: '127.0.0.1' });
  twin = await startGatewayApp({ DATABASE_URL: gateway.databaseUrl });
});
afterAll(async () => {
  await twin?.stop();
  await gateway?.stop();
});
beforeEach(async () => {
  [own, other] = [await gateway.account(), await gateway.account()];
});

const make = (body: object, by = own.key) =>
  gateway
    .agent(by)
    .post('/api-keys')
    .send({ name: 'made', ...body });
const made = async (body: object, by = own.key): Promise<Key> => {
  const response = await make(body, by);
  expect(response.status).toBe(201);
  return response.body as Key;
};
const change = (id: string, body: object, by = own.key) => gateway.agent(by).patch(`/api-keys/${id}`).send(body);
const problemsIn = async (response: Response) =>
  (response.body as ErrorAnswer).details.map(({ field, code }) => `${field} ${code}`);
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const statusFor = async (key: string, headers: Record<string, string> = {}, path = '/domains') =>
  (await gateway.agent(key).get(path).set(headers)).status;
const send = (key: string, domain = own.domain) =>
  gateway
    .agent(key)
    .post('/emails')
    .send({ from: `a@${domain}`, to: 'ada@example.com', subject: 'Hi', text: 'Hi' });

describe('POST /api-keys', () => {
  it('answers 201 with the token, which no later answer has', async () => {
    const expires_at = inDays(30);
    const body = {
      name: 'web shop',
      mode: 'test',
      scopes: ['emails.send', 'domains.read'],
      domain_ids: [own.domainId],
      allowed_ips: ['127.0.0.1', '2001:DB8:0::/32'],
      expires_at,
    };
    const response = await gateway.agent(own.key).post('/v1/api-keys').send(body);
    expect(response.status).toBe(201);
    const { token, ...view } = response.body as Key;
    expect(view).toEqual({
      id: expect.stringMatching(/^key_[0-9a-f]{32}$/),
      object: 'api_key',
      name: 'web shop',
      mode: 'test',
      permission: null,
      scopes: ['emails.send', 'domains.read'],
      domain_ids: [own.domainId],
      allowed_ips: ['127.0.0.1/32', '2001:db8::/32'],
      expires_at,
      enabled: true,
      last_used_at: null,
      created_at: expect.stringMatching(/Z$/),
    });
    expect(token).toMatch(/^pl_test_[0-9A-Za-z]{38}$/);
    expect((await gateway.agent(own.key).get(`/api-keys/${view.id}`)).body).toEqual(view);
    expect(await statusFor(token)).toBe(200);
    expect(await statusFor(token, {}, '/webhooks')).toBe(403);
  });

  it('gives full access unless it is told otherwise', async () => {
    expect(await made({})).toMatchObject({ mode: 'live', permission: 'full_access', domain_ids: null });
    const sending = await made({ permission: 'sending_access' });
    expect(sending).toMatchObject({ permission: 'sending_access', scopes: ['emails.send'] });
    expect(await statusFor(sending.token)).toBe(403);
    expect((await send(sending.token)).status).toBe(201);
  });

  it('names every wrong field at once, and what is allowed', async () => {
    const many = Array.from({ length: 101 }, () => '192.0.2.1');
    const response = await make({
      name: 'x'.repeat(101),
      mode: 'prod',
      permission: 'admin',
      scopes: ['emails.send', 'root'],
      domain_ids: ['dom_1'],
      allowed_ips: ['10.0.0.1/8', '10.0.0.0/8', '010.0.0.0/8', 5],
      expires_at: '2001-01-01T00:00:00Z',
    });
    expect(response.status).toBe(400);
    expect(await problemsIn(response)).toEqual([
      'name too_long',
      'mode invalid_value',
      'permission invalid_value',
      'scopes[1] invalid_value',
      'domain_ids[0] invalid_value',
      'allowed_ips[0] invalid_value',
      'allowed_ips[2] invalid_value',
      'allowed_ips[3] invalid_value',
      'expires_at in_the_past',
    ]);
    expect(await problemsIn(await make({ allowed_ips: many }))).toEqual(['allowed_ips too_many']);
    expect(await problemsIn(await make({ scopes: [] }))).toEqual(['scopes too_few']);
    expect(await problemsIn(await make({ scopes: ['emails.send'], permission: 'full_access' }))).toEqual([
      'scopes exclusive',
    ]);
    const nameless = await gateway.agent(own.key).post('/api-keys').send({});
    expect(nameless.body).toMatchObject({ name: 'missing_required_field' });
  });

  it('answers a foreign domain as one that is not there', async () => {
    const unknown = `dom_${'0'.repeat(32)}`;
    for (const id of [other.domainId, unknown])
      expect(await problemsIn(await make({ domain_ids: [own.domainId, id] }))).toEqual([
        'domain_ids[1] unknown_domain',
      ]);
  });

  it('hands out nothing that the asking key does not have', async () => {
    const soon = inDays(1);
    const by = await made({
      scopes: ['api_keys.write', 'api_keys.read', 'emails.send'],
      domain_ids: [own.domainId],
      allowed_ips: ['127.0.0.0/8'],
      expires_at: soon,
    });
    const refused = await make({}, by.token);
    expect(refused.status).toBe(403);
    expect(await problemsIn(refused)).toEqual(
      ['scopes', 'domain_ids', 'allowed_ips', 'expires_at'].map((field) => `${field} exceeds_own_key`),
    );
    const within = {
      mode: 'test',
      scopes: ['emails.send'],
      domain_ids: [own.domainId],
      allowed_ips: ['127.0.0.1'],
      expires_at: soon,
    };
    const child = await made(within, by.token);
    expect(await problemsIn(await make({ ...within, expires_at: inDays(2) }, by.token))).toHaveLength(1);
    for (const more of [
      { scopes: ['emails.send', 'stats.read'] },
      { permission: 'full_access' },
      { domain_ids: null },
      { allowed_ips: ['126.0.0.0/7'] },
      { allowed_ips: null },
      { expires_at: null },
    ])
      expect((await change(child.id, more, by.token)).status).toBe(403);
    expect((await change(child.id, { name: 'renamed', enabled: false }, by.token)).status).toBe(200);
  });
});

/** Each key exceeds `by` in one way. */
const STRONGER: [string, (by: object) => object][] = [
  ['scopes', (by) => ({ ...by, scopes: ['api_keys.write', 'domains.read', 'stats.read'] })],
  ['domain_ids', (by) => ({ ...by, domain_ids: null })],
  ['allowed_ips', (by) => ({ ...by, allowed_ips: null })],
  ['expires_at', (by) => ({ ...by, expires_at: null })],
];

describe('a key that may do more than the asking key', () => {
  const power = () => ({
    scopes: ['api_keys.write', 'domains.read'],
    domain_ids: [own.domainId],
    allowed_ips: ['127.0.0.0/8'],
    expires_at: inDays(1),
  });

  it.each(STRONGER)('by its %s can be neither changed, disabled, narrowed nor deleted', async (field, widen) => {
    const limits = power();
    const by = await made(limits);
    const strong = await made(widen(limits));
    const attempts = [{ name: 'mine now' }, { enabled: false }, { allowed_ips: ['203.0.113.1'] }, limits];
    for (const body of attempts) {
      const refused = await change(strong.id, body, by.token);
      expect([body, refused.status, refused.body]).toEqual([
        body,
        403,
        expect.objectContaining({ name: 'restricted_api_key' }),
      ]);
      expect(await problemsIn(refused)).toEqual([`${field} exceeds_own_key`]);
    }
    const removal = await gateway.agent(by.token).delete(`/api-keys/${strong.id}`);
    expect([removal.status, await problemsIn(removal)]).toEqual([403, [`${field} exceeds_own_key`]]);
    expect(await statusFor(strong.token)).toBe(200);
    const equal = await made(limits);
    expect((await change(equal.id, { enabled: false }, by.token)).status).toBe(200);
    expect((await gateway.agent(by.token).delete(`/api-keys/${equal.id}`)).status).toBe(200);
  });

  it('is out of reach for a test key, which may change no key, and in reach of a live one', async () => {
    const test = await made({ mode: 'test' });
    const twin = await made({ mode: 'test' });
    const unknown = `key_${'0'.repeat(32)}`;
    for (const id of [twin.id, unknown]) {
      expect((await change(id, { name: 'x' }, test.token)).status).toBe(403);
      expect((await gateway.agent(test.token).delete(`/api-keys/${id}`)).status).toBe(403);
    }
    expect((await make({ mode: 'test' }, test.token)).status).toBe(403);
    expect((await change(twin.id, { name: 'x' })).status).toBe(200);
    expect((await gateway.agent(own.key).delete(`/api-keys/${twin.id}`)).status).toBe(200);
  });
});

it('a key may always delete itself, and without the scope only itself', async () => {
  const keys = [
    await made({ scopes: ['emails.send'] }),
    await made({ mode: 'test' }),
    await made({ domain_ids: [own.domainId] }),
  ];
  const [sending] = keys;
  const { id: other } = await made({ scopes: ['emails.send'] });
  expect((await gateway.agent(sending.token).delete(`/api-keys/${other}`)).status).toBe(403);
  expect((await gateway.agent(sending.token).patch(`/api-keys/${sending.id}`).send({ name: 'x' })).status).toBe(403);
  for (const { id, token } of keys) {
    expect((await gateway.agent(token).delete(`/api-keys/${id}`)).status).toBe(200);
    expect(await statusFor(token)).toBe(401);
  }
});

describe('GET /api-keys', () => {
  it('pages through the keys of the account, newest first', async () => {
    const ids: unknown[] = [];
    for (let i = 0; i < 4; i++) ids.unshift((await made({ name: `k${i}` })).id);
    const page = async (query: string) =>
      (await gateway.agent(own.key).get(`/api-keys?${query}`)).body as {
        data: Key[];
        has_more: boolean;
        next_cursor: string | null;
      };
    const first = await page('limit=3');
    expect(first).toMatchObject({ object: 'list', has_more: true, next_cursor: ids[2] });
    expect(first.data.map((key) => key.id)).toEqual(ids.slice(0, 3));
    expect(first.data.some((key) => 'token' in key)).toBe(false);
    const rest = await page(`after=${first.next_cursor}`);
    expect(rest).toMatchObject({ has_more: false, next_cursor: null });
    expect(rest.data.map((key) => key.name)).toEqual(['k0', 'Test']);
    expect((await page(`before=${String(ids[3])}&limit=2`)).data.map((key) => key.id)).toEqual(ids.slice(1, 3));
    for (const query of ['after=em_1', 'limit=0', 'limit=101', `after=${ids[0] as string}&before=${ids[1] as string}`])
      expect([query, (await gateway.agent(own.key).get(`/api-keys?${query}`)).status]).toEqual([query, 400]);
  });

  it('shows nothing of another account', async () => {
    const { id } = await made({});
    expect((await gateway.agent(other.key).get('/api-keys')).body).toMatchObject({
      data: [{ name: 'Test' }],
    });
    for (const [method, body] of [
      ['get', undefined],
      ['patch', { name: 'stolen' }],
      ['delete', undefined],
    ] as const) {
      const stranger = gateway.agent(other.key);
      const foreign = await stranger[method](`/api-keys/${id}`).send(body);
      const unknown = await stranger[method](`/api-keys/key_${'0'.repeat(32)}`).send(body);
      expect([foreign.status, unknown.status]).toEqual([404, 404]);
    }
    expect((await gateway.agent(own.key).get(`/api-keys/${id}`)).body).toMatchObject({ name: 'made' });
  });
});

describe('PATCH /api-keys/:id', () => {
  it('changes what is given and leaves the rest', async () => {
    const { token: _token, ...key } = await made({ allowed_ips: ['192.0.2.0/24'], expires_at: inDays(3) });
    expect((await change(key.id, {})).body).toEqual(key);
    expect((await change(key.id, { name: 'new', scopes: ['stats.read'] })).body).toEqual({
      ...key,
      name: 'new',
      permission: null,
      scopes: ['stats.read'],
    });
    expect((await change(key.id, { permission: 'sending_access', allowed_ips: null })).body).toEqual({
      ...key,
      name: 'new',
      permission: 'sending_access',
      scopes: ['emails.send'],
      allowed_ips: null,
    });
    expect((await change(key.id, { enabled: 'no', expires_at: 'tomorrow' })).status).toBe(400);
  });

  it('disables and enables a key', async () => {
    const key = await made({});
    expect((await change(key.id, { enabled: false })).body).toMatchObject({ enabled: false });
    expect(await statusFor(key.token)).toBe(401);
    await change(key.id, { enabled: true });
    passTime(1_000);
    expect(await statusFor(key.token)).toBe(200);
  });

  it('refuses a key once it has expired', async () => {
    const key = await made({ expires_at: inDays(1) });
    expect(await statusFor(key.token)).toBe(200);
    await gateway.app.get(Database).query('UPDATE api_keys SET expires_at = now() WHERE id = $1', [key.id]);
    passTime(1_000);
    expect(await statusFor(key.token)).toBe(401);
  });
});

describe('DELETE /api-keys/:id', () => {
  it('answers 200 once and 404 afterwards, and the key is gone from the list', async () => {
    const key = await made({});
    const response = await gateway.agent(own.key).delete(`/api-keys/${key.id}`);
    expect([response.status, response.body]).toEqual([200, { object: 'api_key', id: key.id, deleted: true }]);
    expect((await gateway.agent(own.key).delete(`/api-keys/${key.id}`)).status).toBe(404);
    expect((await gateway.agent(own.key).get(`/api-keys/${key.id}`)).status).toBe(404);
    expect((await change(key.id, { enabled: true })).status).toBe(404);
    expect(await statusFor(key.token)).toBe(401);
  });

  it('ends a key within a second in every process', async () => {
    const key = await made({});
    const statuses = () =>
      Promise.all([gateway, twin].map(async (app) => (await app.agent(key.token).get('/domains')).status));
    expect(await statuses()).toEqual([200, 200]);
    await gateway.agent(own.key).delete(`/api-keys/${key.id}`);
    passTime(1_000);
    expect(await statuses()).toEqual([401, 401]);
  });
});

describe('a restricted key', () => {
  it('works from its networks only, whatever a client claims, and counts nothing elsewhere', async () => {
    const near = await made({ allowed_ips: ['127.0.0.1/32'] });
    const far = await made({ allowed_ips: ['203.0.113.0/24', '2001:db8::/32'] });
    expect(await statusFor(near.token)).toBe(200);
    const refused = await gateway.agent(far.token).get('/domains');
    expect([refused.status, (refused.body as ErrorAnswer).name]).toEqual([403, 'restricted_api_key']);
    expect(refused.headers['ratelimit-limit']).toBeUndefined();
    // This gateway believes the proxy at 127.0.0.1, and nobody behind it.
    const through = (address: string) => statusFor(far.token, { 'x-forwarded-for': address });
    expect(await through('203.0.113.7')).toBe(200);
    expect(await through('::ffff:203.0.113.7')).toBe(200);
    expect(await through('2001:db8::7')).toBe(200);
    expect(await through('203.0.113.7, 198.51.100.1')).toBe(403);
    expect(await statusFor(near.token, { 'x-forwarded-for': '198.51.100.1' })).toBe(403);
    // The other one believes nobody.
    const spoofed = { 'x-forwarded-for': '203.0.113.7', forwarded: 'for=203.0.113.7', 'x-real-ip': '203.0.113.7' };
    expect((await twin.agent(far.token).get('/domains').set(spoofed)).status).toBe(403);
  });

  it('sends from its domains only', async () => {
    const here = await made({ domain_ids: [own.domainId] });
    expect((await send(here.token)).status).toBe(201);
    await change(here.id, { domain_ids: null, permission: 'sending_access' });
    expect((await send(here.token)).status).toBe(201);
  });

  it('is disabled when its last domain is deleted, and enabled again only without the restriction', async () => {
    const [both, one] = [await made({}), await made({ domain_ids: [own.domainId] })];
    const gone = `dom_${'1'.repeat(32)}`;
    await gateway.app
      .get(Database)
      .query('UPDATE api_keys SET domain_ids = $2 WHERE id = $1', [both.id, [own.domainId, gone]]);
    expect((await gateway.agent(own.key).delete(`/domains/${own.domainId}`)).status).toBe(200);
    const view = async (id: string) => (await gateway.agent(own.key).get(`/api-keys/${id}`)).body;
    expect(await view(both.id)).toMatchObject({ enabled: true, domain_ids: [gone] });
    expect(await view(one.id)).toMatchObject({ enabled: false, domain_ids: [] });
    passTime(1_000);
    expect(await statusFor(one.token)).toBe(401);
    const refused = await change(one.id, { enabled: true });
    expect([refused.status, await problemsIn(refused)]).toEqual([409, ['domain_ids no_domain_left']]);
    expect((await change(one.id, { enabled: true, domain_ids: [own.domainId] })).status).toBe(400);
    expect((await change(one.id, { enabled: true, domain_ids: null })).status).toBe(200);
    passTime(1_000);
    expect(await statusFor(one.token)).toBe(200);
  });

  it('notes when it was used', async () => {
    const key = await made({});
    await statusFor(key.token);
    await expect
      .poll(async () => (await gateway.agent(own.key).get(`/api-keys/${key.id}`)).body as Key)
      .toMatchObject({ last_used_at: expect.stringMatching(/Z$/) });
  });
});
