import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rawResponse, statusesOf } from '../../support/attacks/raw-http.js';
import { startGatewayApp, type GatewayApp } from '../../support/fixtures/gateway-app.js';
import { until } from '../../support/timing/until.js';

const CLIENT = '203.0.113.7';
const WRONG_KEYS = 5;

describe('addresses that a proxy forwards', () => {
  let gateway: GatewayApp;
  let key: string;
  /** A key that only `CLIENT` and one IPv6 address may use. */
  let restricted: string;

  beforeAll(async () => {
    gateway = await startGatewayApp({ TRUST_PROXY: '127.0.0.1', HTTP_AUTH_FAILURES_PER_MINUTE: String(WRONG_KEYS) });
    ({ key } = await gateway.account());
    const created = await gateway
      .agent(key)
      .post('/api-keys')
      .send({ name: 'Restricted', permission: 'full_access', allowed_ips: [CLIENT, '2001:db8::7'] });
    restricted = (created.body as { token: string }).token;
  });
  afterAll(() => gateway.stop());

  const statusOf = async (token: string, ...headers: string[]): Promise<number> =>
    statusesOf(
      await rawResponse(
        { port: gateway.port },
        'GET /domains HTTP/1.1',
        'Host: localhost',
        `Authorization: Bearer ${token}`,
        ...headers,
        'Connection: close',
        '',
        '',
      ),
    )[0];

  it.each([
    [`X-Forwarded-For: ${CLIENT}:51234`],
    [`X-Forwarded-For: "${CLIENT}:51234"`],
    [`X-Forwarded-For: ${CLIENT}, 127.0.0.1:443`],
    [`X-Forwarded-For: ::ffff:${CLIENT}`],
    [`X-Forwarded-For: , ${CLIENT},`],
    [`X-Forwarded-For: 6.6.6.6`, `X-Forwarded-For: ${CLIENT}:1`],
    ['X-Forwarded-For: [2001:db8::7]'],
    ['X-Forwarded-For: "[2001:DB8::7]:443"'],
  ])('fulfil the restriction of a key: %s', async (...headers) => {
    expect(await statusOf(restricted, ...headers)).toBe(200);
  });

  it.each([
    ['X-Forwarded-For: 198.51.100.1:51234'],
    ['X-Forwarded-For: unknown'],
    [`X-Forwarded-For: ${CLIENT}, unknown`],
    [`X-Forwarded-For: ${CLIENT}, 198.51.100.1`],
  ])('do not fulfil it: %s', async (header) => {
    expect(await statusOf(restricted, header)).toBe(403);
  });

  it('are in the request log without their ports', async () => {
    const agent = gateway.agent(key);
    await agent.get('/emails').set('x-forwarded-for', '198.51.100.77:51234');
    await until(
      async () => {
        const { body } = await agent.get('/logs');
        return (body as { data: { ip: string }[] }).data.some(({ ip }) => ip === '198.51.100.77');
      },
      { what: 'the entry of the request log' },
    );
  });

  it.each([
    ['a port that changes', (i: number) => `198.51.100.9:${50_000 + i}`],
    ['a text that is no address and changes', (i: number) => `198.51.100.10, text-${i}`],
    ['another notation of an IPv6 address', (i: number) => `[2001:db8:1::${i}]:${50_000 + i}`],
  ])('do not evade the limit of wrong keys by %s', async (what, address) => {
    const statuses: number[] = [];
    for (let i = 1; i <= 2 * WRONG_KEYS; i += 1)
      statuses.push(await statusOf(`wrong ${what} ${i}`, `X-Forwarded-For: ${address(i)}`));
    expect(statuses).toEqual([...Array<number>(WRONG_KEYS).fill(401), ...Array<number>(WRONG_KEYS).fill(429)]);
  });
});
