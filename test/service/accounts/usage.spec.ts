import { Accounts } from '#libs/accounts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { passTime } from '../../support/timing/clock.js';
import { sharedGateway, startGatewayApp, type GatewayApp } from '../../support/fixtures/gateway-app.js';

let gateway: GatewayApp;
let twin: GatewayApp;
let own: Awaited<ReturnType<GatewayApp['account']>>;

beforeAll(async () => {
  gateway = await sharedGateway();
  twin = await startGatewayApp({ DATABASE_URL: gateway.databaseUrl });
});
afterAll(async () => {
  await twin?.stop();
});
beforeEach(async () => {
  own = await gateway.account();
});

const setPlan = (plan: string) => gateway.app.get(Accounts).setPlan(own.accountId, plan);
const usage = async (key = own.key) => (await gateway.agent(key).get('/usage')).body;
const send = (over: object = {}, app = gateway, key = own.key) =>
  app
    .agent(key)
    .post('/emails')
    .send({
      from: `a@${own.domain}`,
      to: 'ada@example.com',
      subject: 'Hi',
      text: 'Hi',
      ...over,
    });
const monthEnd = () => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
};

describe('GET /usage', () => {
  it('tells plan, use and the end of the month', async () => {
    await setPlan('free');
    await send({ to: ['a@example.com', 'b@example.com'], cc: 'c@example.com' });
    expect(await usage()).toEqual({
      object: 'usage',
      plan: 'free',
      unit: 'recipient',
      month: new Date().toISOString().slice(0, 7),
      limit: 3_000,
      used: 3,
      remaining: 2_997,
      resets_at: monthEnd().toISOString(),
      rate_limit_per_second: 0,
    });
  });

  it('counts nothing for an unlimited plan', async () => {
    await send();
    expect(await usage()).toMatchObject({ plan: 'unlimited', limit: null, used: null, remaining: null });
  });

  it('needs the scope stats.read', async () => {
    const { key } = await gateway.account('sending_access');
    expect((await gateway.agent(key).get('/usage')).status).toBe(403);
  });
});

describe('the monthly allowance', () => {
  it('accepts exactly 100 of 200 sends through two processes with 100 left', async () => {
    await setPlan('150');
    for (let i = 0; i < 50; i++) expect((await send()).status).toBe(201);
    const statuses = await Promise.all(
      Array.from({ length: 200 }, async (_, i) => (await send({}, i % 2 ? gateway : twin)).status),
    );
    expect(statuses.filter((status) => status === 201)).toHaveLength(100);
    expect(statuses.filter((status) => status === 429)).toHaveLength(100);
    expect(await usage()).toMatchObject({ used: 150, remaining: 0 });
  });

  it('is refused with its state, and without a time to wait', async () => {
    await setPlan('3');
    expect((await send({ to: ['a@example.com', 'b@example.com'] })).status).toBe(201);
    const refused = await send({ to: ['a@example.com', 'b@example.com'] });
    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject({ error: 'monthly_quota_exceeded', name: 'monthly_quota_exceeded' });
    expect(refused.headers['x-quota-limit']).toBe('3');
    expect(refused.headers['x-quota-remaining']).toBe('1');
    const seconds = (monthEnd().getTime() - Date.now()) / 1_000;
    expect(Math.abs(Number(refused.headers['x-quota-reset']) - seconds)).toBeLessThan(60);
    expect(refused.headers['retry-after']).toBeUndefined();
    expect((await send()).status).toBe(201);
  });

  it('is not touched by a test key', async () => {
    await setPlan('1');
    const made = await gateway.agent(own.key).post('/api-keys').send({ name: 't', mode: 'test' });
    const { token } = made.body as { token: string };
    for (let i = 0; i < 3; i++) expect((await send({}, gateway, token)).status).toBe(201);
    expect(await usage()).toMatchObject({ used: 0 });
  });

  it('follows a change of plan within a second', async () => {
    await setPlan('1');
    expect((await send()).status).toBe(201);
    expect((await send({}, twin)).status).toBe(429);
    await setPlan('unlimited');
    passTime(1_000);
    expect((await send({}, twin)).status).toBe(201);
  });
});
