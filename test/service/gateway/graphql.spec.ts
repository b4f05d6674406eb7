import { connect } from 'node:net';
import { Accounts, ApiKeys } from '#libs/accounts';
import type { Scope } from '#libs/contracts';
import { SendingDomains } from '#libs/domains';
import { createClient, type Client } from 'graphql-ws';
import {
  printSchema,
  buildClientSchema,
  getIntrospectionQuery,
  lexicographicSortSchema,
  type IntrospectionQuery,
} from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { renderSchema } from '../../../apps/gateway/src/generate.js';
import { sharedGateway, type GatewayApp } from '../../support/fixtures/gateway-app.js';
import { until } from '../../support/timing/until.js';

type Account = Awaited<ReturnType<GatewayApp['account']>>;
interface Answer {
  data?: Record<string, unknown> | null;
  errors?: { message: string; extensions: Record<string, unknown> }[];
}
let gateway: GatewayApp;
let own: Account;
let other: Account;

beforeAll(async () => {
  gateway = await sharedGateway();
  [own, other] = [await gateway.account(), await gateway.account()];
});

const ask = async (key: string | null, query: string, variables: object = {}) =>
  (await gateway.agent(key).post('/graphql').send({ query, variables })).body as Answer;

describe('GraphQL over HTTP', () => {
  it('answers 401 in the shape of the API without a key', async () => {
    const response = await gateway.agent().post('/graphql').send({ query: '{ domains { id } }' });
    expect([response.status, response.body]).toMatchObject([401, { error: 'unauthorized', statusCode: 401 }]);
  });

  it('says the same as REST, in camelCase', async () => {
    const mail = { from: `a@${own.domain}`, to: 'b@example.com', subject: 'Hi', text: 'x', tags: { kind: 'order' } };
    const { id } = (await gateway.agent(own.key).post('/emails').send(mail)).body as { id: string };
    const query = `query ($id: ID!) {
      domains { id name status createdAt envelope records { record name value required } }
      email(id: $id) { id status lastEvent from to replyTo tags { key value } createdAt scheduledAt domainId
        recipients { address type status attempts smtp { code } nextAttemptAt } }
    }`;
    const { data, errors } = await ask(own.key, query, { id });
    expect(errors).toBeUndefined();
    expect(data?.['domains']).toMatchObject([
      { id: own.domainId, name: own.domain, status: 'active', envelope: 'shared' },
    ]);
    expect(data?.['email']).toMatchObject({
      id,
      status: 'queued',
      lastEvent: 'queued',
      to: ['b@example.com'],
      tags: [{ key: 'kind', value: 'order' }],
      domainId: own.domainId,
      recipients: [{ address: 'b@example.com', type: 'to', status: 'queued', smtp: null }],
    });
    expect((await ask(other.key, 'query ($id: ID!) { email(id: $id) { id } }', { id })).data).toEqual({ email: null });
  });

  it('asks each field for the scope of its REST twin', async () => {
    const { key } = await gateway.account('sending_access');
    const { errors } = await ask(key, '{ domains { id } }');
    expect(errors).toMatchObject([{ extensions: { code: 'forbidden', name: 'restricted_api_key' } }]);
  });

  it('knows no domain of another account', async () => {
    const query = 'query ($id: ID!) { domainStats(domainId: $id) { accepted } }';
    const { data, errors } = await ask(other.key, query, { id: own.domainId });
    expect(data ?? null).toBeNull();
    expect(errors).toMatchObject([{ extensions: { code: 'not_found' } }]);
    gateway.counts.accepted = 3;
    expect((await ask(own.key, query, { id: own.domainId })).data).toEqual({ domainStats: { accepted: 3 } });
  });

  it('takes timestamps strictly', async () => {
    const query = 'query ($id: ID!, $from: DateTime) { domainStats(domainId: $id, from: $from) { from } }';
    for (const from of ['yesterday', '2026-01-01', 1767225600000, '2026-02-30T00:00:00Z'])
      expect((await ask(own.key, query, { id: own.domainId, from })).errors).toBeDefined();
    expect((await ask(own.key, query, { id: own.domainId, from: '2026-01-01T00:00:00+01:00' })).data).toEqual({
      domainStats: { from: '2025-12-31T23:00:00.000Z' },
    });
  });

  it('refuses what is too deep, aliased too often, too long, batched, or guessed at', async () => {
    const aliases = Array.from({ length: 16 }, (_, i) => `a${i}: domains { id }`).join(' ');
    for (const query of [`{ ${aliases} }`, `{ ${'domains '.repeat(2_000)} }`]) {
      const { data, errors } = await ask(own.key, query);
      expect(data).toBeUndefined();
      expect(errors?.[0].extensions).not.toHaveProperty('stacktrace');
    }
    const { errors } = await ask(own.key, '{ domans { id } }');
    expect(errors?.[0].message).toContain('domans');
    expect(errors?.[0].message).not.toContain('domains');
    const batch = await gateway
      .agent(own.key)
      .post('/graphql')
      .send([{ query: '{ domains { id } }' }]);
    expect(batch.status).toBe(400);
    const get = await gateway.agent(own.key).get('/graphql?query={domains{id}}');
    expect(get.status).toBe(400);
  });

  it('refuses a Host that is none', async () => {
    const body = '{"query":"{ domains { id } }"}';
    for (const host of ['[', 'a b', ''])
      expect(
        await raw(
          `POST /graphql HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nAuthorization: Bearer ${own.key}\r\n` +
            `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        ),
      ).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('serves the schema that is generated', async () => {
    const { data } = await ask(own.key, getIntrospectionQuery());
    const served = buildClientSchema(data as unknown as IntrospectionQuery);
    expect((await renderSchema()).trim()).toContain(printSchema(lexicographicSortSchema(served)).trim());
  });
});

describe('GraphQL over the socket', () => {
  const QUERY = 'subscription ($id: ID!) { domainStats(domainId: $id) { domainId accepted } }';

  it('answers a foreign domain with not_found', async () => {
    const stranger = client(other.key);
    const seen = watch(stranger, QUERY, { id: own.domainId });
    await until(async () => seen.length > 0);
    expect(seen).toMatchObject([{ errors: [{ extensions: { code: 'not_found' } }] }]);
    await stranger.dispose();
  });

  it('answers queries too, within the same bounds', async () => {
    const one = client(own.key);
    const seen = watch(one, '{ domains { name } }');
    await until(async () => seen.length === 1);
    expect(seen[0].data).toEqual({ domains: [{ name: own.domain }] });
    const refused = watch(one, `{ ${Array.from({ length: 16 }, (_, i) => `a${i}: domains { id }`).join(' ')} }`);
    await until(async () => refused.length === 1);
    expect(refused[0].errors?.[0].message).toContain('aliases');
    await one.dispose();
  });

  it('closes with 4403 without a good key, of a blocked account, and when the key is revoked', async () => {
    expect(await closeCode({})).toBe(4403);
    expect(await closeCode({ Authorization: 'Bearer pl_live_nonsense' })).toBe(4403);
    const blocked = await gateway.account();
    await gateway.app.get(Accounts).setStanding(blocked.accountId, 'blocked');
    expect(await closeCode({ Authorization: `Bearer ${blocked.key}` })).toBe(4403);
    const revoked = await gateway.account();
    const closed = closeCode({ Authorization: `Bearer ${revoked.key}` });
    await new Promise((resolve) => setTimeout(resolve, 200));
    const { keyId } = await gateway.app.get(ApiKeys).authenticate(revoked.key);
    await gateway.app.get(ApiKeys).revoke(keyId);
    expect(await closed).toBe(4403);
  });

  it('closes with 4403 from outside the networks of the key, at the start and when they change', async () => {
    const { accountId, key } = await gateway.account();
    const keys = gateway.app.get(ApiKeys);
    const far = await keys.create(accountId, { name: 'far', allowed_ips: ['203.0.113.0/24'] });
    expect(await closeCode({ Authorization: `Bearer ${far.token}` })).toBe(4403);
    const near = await keys.create(accountId, { name: 'near', allowed_ips: ['127.0.0.1'] });
    const closed = closeCode({ Authorization: `Bearer ${near.token}` });
    await new Promise((resolve) => setTimeout(resolve, 200));
    await keys.change(await keys.authenticate(key), near.id, { allowed_ips: ['203.0.113.0/24'] });
    expect(await closed).toBe(4403);
  });

  type Which = 'first' | 'second';
  it.each<[string, Which[] | null, { scopes?: Scope[]; domains?: Which[] }]>([
    ['a scope', ['first', 'second'], { scopes: ['stats.read'] }],
    ['a domain', ['first', 'second'], { domains: ['second'] }],
    ['all domains but one', null, { domains: ['first'] }],
  ])('ends the subscriptions of a key that loses %s, as if it were revoked', async (_, domains, change) => {
    const account = await gateway.account();
    const { id: second } = await gateway.app
      .get(SendingDomains)
      .addVouched(account.accountId, `second.${account.domain}`);
    const idsOf = (which: Which[]) => which.map((one) => ({ first: account.domainId, second })[one]);
    const keys = gateway.app.get(ApiKeys);
    const { id, token } = await keys.create(account.accountId, {
      name: 'x',
      scopes: ['stats.read', 'domains.read'],
      domain_ids: domains && idsOf(domains),
    });
    const socket = open();
    const closed = new Promise((resolve) => socket.on('close', resolve));
    const messages: string[] = [];
    socket.on('open', () => socket.send(JSON.stringify(init(token))));
    socket.on('message', (data: Buffer) => messages.push(data.toString()));
    await until(async () => messages.length === 1);
    const payload = { query: QUERY, variables: { id: account.domainId } };
    socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload }));
    await until(async () => messages.length === 2);
    const by = await keys.authenticate(account.key);
    // Other changes, and more permissions, leave it open.
    await keys.change(by, id, { name: 'y', expires_at: new Date(Date.now() + 3_600_000).toISOString() });
    await keys.change(by, id, { scopes: ['stats.read', 'domains.read', 'emails.read'] });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(socket.readyState).toBe(WebSocket.OPEN);
    await keys.change(by, id, { scopes: change.scopes, domain_ids: change.domains && idsOf(change.domains) });
    expect(await closed).toBe(4403);
  });

  it('closes who says nothing (4408), sends too much (1009), or asks too often (4429)', async () => {
    expect(await closeCode(undefined)).toBe(4408);
    expect(await closeCode({ pad: 'x'.repeat(70_000) })).toBe(1009);
    const many = open();
    const closed = new Promise((resolve) => many.on('close', resolve));
    many.on('open', () => many.send(JSON.stringify(init(own.key))));
    many.on('message', (data: Buffer) => {
      if (!data.toString().includes('connection_ack')) return;
      for (let i = 0; i < 30; i++)
        many.send(
          JSON.stringify({
            id: String(i),
            type: 'subscribe',
            payload: { query: QUERY, variables: { id: own.domainId } },
          }),
        );
    });
    expect(await closed).toBe(4429);
  });
});

describe('upgrades to anywhere', () => {
  const TARGETS = ['//', 'http://[', '//x:99999/', '*', '/other', '/graphql/x', '/graphqlx'];

  it.each(TARGETS)('to %s, with and without a reset, leave the process alive', async (target) => {
    for (let i = 0; i < 5; i++) {
      await upgrade(target, true);
      expect(await upgrade(target, false)).toMatch(/^HTTP\/1\.1 40[04] /);
      expect((await gateway.agent().get('/healthz')).status).toBe(200);
    }
  });

  it('to /graphql with resets leave the process alive', async () => {
    for (let i = 0; i < 5; i++) await upgrade('/graphql', true);
    expect((await gateway.agent().get('/healthz')).status).toBe(200);
  });

  it('that offer HTTP/2 are answered as the request they are', async () => {
    const body = JSON.stringify({ from: `a@${own.domain}`, to: 'b@example.com', subject: 'Hi', text: 'x' });
    const answer = await raw(
      `POST /emails HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n` +
        `HTTP2-Settings: AAEAAEAAAAIAAAAB\r\nAuthorization: Bearer ${own.key}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 201 /);
  });
});

const init = (key: string) => ({ type: 'connection_init', payload: { Authorization: `Bearer ${key}` } });
const open = () => new WebSocket(`ws://127.0.0.1:${gateway.port}/graphql`, 'graphql-transport-ws');

function client(key: string, header = 'Authorization'): Client {
  return createClient({
    url: `ws://127.0.0.1:${gateway.port}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { [header]: `Bearer ${key}` },
    retryAttempts: 0,
  });
}

function watch(from: Client, query: string, variables: Record<string, unknown> = {}): Answer[] {
  const seen: Answer[] = [];
  from.subscribe(
    { query, variables },
    {
      next: (answer) => seen.push(answer as Answer),
      error: (error) => seen.push({ errors: error as Answer['errors'] }),
      complete: () => undefined,
    },
  );
  return seen;
}

/** The code with which the server closes a socket that says hello with these parameters, or nothing at all. */
function closeCode(params: object | undefined): Promise<number> {
  return new Promise((resolve) => {
    const socket = open();
    socket.on('open', () => {
      if (params) socket.send(JSON.stringify({ type: 'connection_init', payload: params }));
    });
    socket.on('error', () => undefined);
    socket.on('close', resolve);
  });
}

function raw(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(gateway.port, '127.0.0.1', () => socket.write(bytes));
    socket.setTimeout(1_000, () => socket.destroy());
    socket.on('data', (chunk) => {
      answer += chunk.toString();
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

function upgrade(target: string, reset: boolean): Promise<string> {
  const request =
    `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
    `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n`;
  if (!reset) return raw(request);
  return new Promise((resolve) => {
    const socket = connect(gateway.port, '127.0.0.1', () => {
      socket.write(request);
      setTimeout(() => socket.resetAndDestroy(), 5);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(''));
  });
}
