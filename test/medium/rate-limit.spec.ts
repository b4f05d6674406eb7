import { setTimeout as sleep } from 'node:timers/promises';
import { RateLimit } from '#libs/accounts';
import { loadConfig } from '#libs/kernel';
import { Database } from '#libs/persistence';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { testConfig } from '../support/database.js';
import { createTestDatabase } from '../support/test-database.js';
import { startGatewayApp, type GatewayApp } from '../support/gateway-app.js';

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
  ['limit', 'remaining', 'reset'].map((name) => response.headers.get(`ratelimit-${name}`));

describe('the rate limit', () => {
  it('tells its state on every authenticated answer, refusals included, and on no other', async () => {
    const created = await gateway.call(own.key, 'POST', '/api-keys', { name: 'ci', permission: 'sending_access' });
    expect(headersOf(created)).toEqual(['20', '19', '1']);
    const { token } = (await created.json()) as { token: string };
    for (const [response, status] of [
      [await gateway.call(token, 'GET', '/domains'), 403],
      [await gateway.call(own.key, 'GET', '/nowhere'), 404],
      [await gateway.call(own.key, 'POST', '/api-keys', {}), 400],
    ] as const)
      expect([response.status, response.headers.get('ratelimit-limit')]).toEqual([status, '20']);
    expect(headersOf(await gateway.call(null, 'GET', '/domains'))).toEqual([null, null, null]);
    expect(headersOf(await gateway.call('pl_live_wrong', 'GET', '/domains'))).toEqual([null, null, null]);
  });

  it('answers 429 with the seconds to wait, and lets nothing of it through', async () => {
    const responses = await Promise.all(Array.from({ length: 60 }, () => gateway.call(own.key, 'GET', '/domains')));
    const refused = responses.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(20);
    expect(refused[0].headers.get('retry-after')).toBe('1');
    expect(headersOf(refused[0])).toEqual(['20', '0', '1']);
    expect(await refused[0].json()).toMatchObject({ error: 'rate_limit_exceeded', name: 'rate_limit_exceeded' });
  });

  it('holds for all keys and both processes of an account together', async () => {
    const keys = [own.key];
    for (let i = 0; i < 2; i++) {
      const made = await gateway.call(own.key, 'POST', '/api-keys', { name: `k${i}` });
      keys.push(((await made.json()) as { token: string }).token);
    }
    await sleep(1_100);
    const seconds = 3;
    let asked = 0;
    const start = performance.now();
    const asking: Promise<boolean>[] = [];
    while (performance.now() - start < seconds * 1_000) {
      const [app, key] = [asked % 2 ? gateway : twin, keys[asked % 3]];
      asked += 1;
      asking.push(app.call(key, 'GET', '/domains').then(({ status }) => status === 200));
      await sleep(8);
    }
    const allowed = (await Promise.all(asking)).filter(Boolean).length;
    const elapsed = (performance.now() - start) / 1_000;
    const expected = 20 + 20 * elapsed;
    console.log(`${allowed} of ${asked} requests allowed in ${elapsed.toFixed(2)} s, ${Math.round(expected)} expected`);
    expect(allowed).toBeLessThanOrEqual(expected * 1.1);
    expect(allowed).toBeGreaterThanOrEqual(20 + 20 * seconds * 0.8);
  });

  it('is exact between processes that ask for the last tokens at once', async () => {
    const limits = [gateway, twin].map((app) => app.app.get(RateLimit));
    const start = performance.now();
    const verdicts = await Promise.all(Array.from({ length: 200 }, (_, i) => limits[i % 2].take('acc_crowd')));
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
