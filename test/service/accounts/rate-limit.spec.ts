import type { Response } from 'supertest';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RateLimit } from '#libs/accounts';
import { loadConfig } from '#libs/kernel';
import { Database } from '#libs/persistence';
import { testConfig } from '../../support/persistence/database.js';
import { createTestDatabase } from '../../support/persistence/test-database.js';
import { startGatewayApp, type GatewayApp } from '../../support/fixtures/gateway-app.js';

let gateway: GatewayApp;
let twin: GatewayApp;
let own: Awaited<ReturnType<GatewayApp['account']>>;

beforeAll(async () => {
  gateway = await startGatewayApp({ RATE_LIMIT_PER_SECOND: '20' });
  twin = await startGatewayApp({ RATE_LIMIT_PER_SECOND: '20', DATABASE_URL: gateway.databaseUrl });
});
afterAll(async () => {
  await twin?.stop();
  await gateway?.stop();
});
beforeEach(async () => {
  own = await gateway.account();
});

/** Of a program of the distributed topology. */
const limitedTo = (limit: string) => testConfig(gateway.databaseUrl, { RATE_LIMIT_PER_SECOND: limit });
const headersOf = (response: Response) =>
  ['limit', 'remaining', 'reset'].map((name) => response.headers[`ratelimit-${name}`]);

describe('the rate limit', () => {
  it('tells its state on every authenticated answer, refusals included, and on no other', async () => {
    const created = await gateway.agent(own.key).post('/api-keys').send({ name: 'ci', permission: 'sending_access' });
    expect(headersOf(created)).toEqual(['20', '19', '1']);
    const { token } = created.body as { token: string };
    for (const [response, status] of [
      [await gateway.agent(token).get('/domains'), 403],
      [await gateway.agent(own.key).get('/nowhere'), 404],
      [await gateway.agent(own.key).post('/api-keys').send({}), 400],
    ] as const)
      expect([response.status, response.headers['ratelimit-limit']]).toEqual([status, '20']);
    expect(headersOf(await gateway.agent().get('/domains'))).toEqual([undefined, undefined, undefined]);
    expect(headersOf(await gateway.agent('pl_live_wrong').get('/domains'))).toEqual([undefined, undefined, undefined]);
  });

  it('answers 429 with the seconds to wait, and lets nothing of it through', async () => {
    // A bucket that is refilled only in an hour: however long the requests take, there are no more tokens than these.
    await gateway.app
      .get(Database)
      .query(
        `INSERT INTO rate_buckets (account_id, tokens, granted, filled_at) VALUES ($1, 20, 0, now() + interval '1 hour')`,
        [own.accountId],
      );
    const responses = await Promise.all(Array.from({ length: 60 }, () => gateway.agent(own.key).get('/domains')));
    const refused = responses.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(40);
    expect(refused[0].headers['retry-after']).toBe('1');
    expect(headersOf(refused[0])).toEqual(['20', '0', '1']);
    expect(refused[0].body).toMatchObject({ error: 'rate_limit_exceeded', name: 'rate_limit_exceeded' });
  });

  it('holds for all keys and both processes of an account together', async () => {
    const keys = [own.key];
    for (let i = 0; i < 2; i++) {
      const made = await gateway
        .agent(own.key)
        .post('/api-keys')
        .send({ name: `k${i}` });
      keys.push((made.body as { token: string }).token);
    }
    const start = performance.now();
    const statuses: number[] = [];
    // Few at a time: a process whose database takes more than a second to answer goes by what it knows itself.
    for (let round = 0; round < 10; round++) {
      const asking = Array.from({ length: 6 }, (_, i) => (i % 2 ? gateway : twin).agent(keys[i % 3]).get('/domains'));
      statuses.push(...(await Promise.all(asking)).map(({ status }) => status));
    }
    const elapsed = (performance.now() - start) / 1_000;
    const allowed = statuses.filter((status) => status === 200).length;
    // Two of the burst made the keys; the rest of it, and what came back meanwhile.
    expect(allowed).toBeGreaterThanOrEqual(18);
    expect(allowed).toBeLessThanOrEqual(20 + 20 * elapsed);
  });

  it('is exact between processes that ask for the last tokens at once', async () => {
    const limits = [gateway, twin].map((app) => app.app.get(RateLimit));
    const start = performance.now();
    const verdicts = await Promise.all(Array.from({ length: 200 }, (_, i) => limits[i % 2].take('acc_many')));
    const elapsed = (performance.now() - start) / 1_000;
    const allowed = verdicts.filter((verdict) => verdict.allowed).length;
    expect(allowed).toBeGreaterThanOrEqual(20);
    // The burst, and what came back meanwhile.
    expect(allowed).toBeLessThanOrEqual(20 + 20 * elapsed);
  });

  it('counts in memory in the standalone program and not at all at 0', async () => {
    const database = gateway.app.get(Database);
    const rows = async () => (await database.query('SELECT count(*) FROM rate_buckets')).rows;
    const before = await rows();
    const alone = new RateLimit(loadConfig('standalone', { RATE_LIMIT_PER_SECOND: '2' }), database);
    const off = new RateLimit(limitedTo('0'), database);
    expect([await alone.take('a'), await alone.take('a'), await alone.take('a')].map((v) => v.allowed)).toEqual([
      true,
      true,
      false,
    ]);
    for (let i = 0; i < 100; i++) expect(await off.take('a')).toMatchObject({ allowed: true, limit: 0 });
    expect(await rows()).toEqual(before);
  });

  it('holds in each process while the database is away, without a longer wait', async () => {
    const { database: away, close } = await createTestDatabase();
    await close();
    const limit = new RateLimit(limitedTo('5'), away);
    const verdicts = await Promise.all(Array.from({ length: 20 }, () => limit.take('a')));
    expect(verdicts.filter(({ allowed }) => allowed)).toHaveLength(5);
  });
});
