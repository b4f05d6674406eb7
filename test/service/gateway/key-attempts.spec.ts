import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { ApiKeys } from '#libs/accounts';
import { startGatewayApp, type GatewayApp } from '../../support/fixtures/gateway-app.js';
import { until } from '../../support/timing/until.js';

const LIMIT = 5;

describe('wrong API keys', () => {
  let gateway: GatewayApp;
  let accountId: string;
  let key: string;
  let address: string;
  let addresses = 0;
  let guesses = 0;

  beforeAll(async () => {
    gateway = await startGatewayApp({ HTTP_AUTH_FAILURES_PER_MINUTE: String(LIMIT), TRUST_PROXY: '127.0.0.1' });
    ({ accountId, key } = await gateway.account());
  });
  afterAll(() => gateway.stop());

  const newAddress = (): string => (address = `203.0.113.${(addresses += 1)}`);
  const newGuess = (): string => `guess-${(guesses += 1)}-of-a-bootstrap-key`;
  const newKey = async (): Promise<string> => (await gateway.app.get(ApiKeys).create(accountId, { name: 'New' })).token;

  const ask = (token: string, from = address) => gateway.agent(token).get('/domains').set({ 'x-forwarded-for': from });
  const statusOf = async (token: string, from = address): Promise<number> => (await ask(token, from)).status;

  async function useUp(): Promise<void> {
    for (let i = 0; i < LIMIT; i++) expect(await statusOf(newGuess())).toBe(401);
  }

  it('of one address beyond the limit are answered 429 with Retry-After, those of others 401', async () => {
    newAddress();
    await useUp();
    const { status, headers, body } = await ask(newGuess());
    expect([status, body]).toMatchObject([429, { name: 'rate_limit_exceeded' }]);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
    expect(await statusOf(newGuess(), '198.51.100.1')).toBe(401);
    expect(await statusOf(newGuess(), `198.51.100.2, ${address}`), 'an address that the client wrote').toBe(429);
  });

  it('leave a key that is in use alone, and tell nothing about one that is not', async () => {
    expect(await statusOf(key, newAddress())).toBe(200);
    await useUp();
    expect(await statusOf(key)).toBe(200);
    expect(await statusOf(key, address)).toBe(200);
    const unused = await newKey();
    expect(await statusOf(unused)).toBe(429);
    expect(await statusOf(unused, '198.51.100.3')).toBe(200);
    expect(await statusOf(unused), 'it was valid, wherever').toBe(200);
  });

  it('that are the same one count once', async () => {
    newAddress();
    const outdated = newGuess();
    for (let i = 0; i < 3 * LIMIT; i++) expect(await statusOf(outdated)).toBe(401);
    expect(await statusOf(await newKey())).toBe(200);
  });

  it('that come at once get no more answers than the limit', async () => {
    newAddress();
    const unused = await newKey();
    const statuses = await Promise.all(Array.from({ length: 6 * LIMIT }, () => statusOf(newGuess())));
    expect(statuses.filter((status) => status === 401)).toHaveLength(LIMIT);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    expect(await statusOf(unused)).toBe(429);
  });

  it('of WebSockets count as well', async () => {
    newAddress();
    for (let i = 0; i < LIMIT; i++) expect(await closeCode(newGuess())).toBe(4403);
    expect(await statusOf(newGuess())).toBe(429);
    expect(await closeCode(await newKey())).toBe(4403);
    expect(await acknowledged(key)).toBe(true);
  });

  it('are not counted where no key is given', async () => {
    newAddress();
    for (let i = 0; i < 2 * LIMIT; i++)
      expect((await gateway.agent().get('/domains').set({ 'x-forwarded-for': address })).status).toBe(401);
    expect(await statusOf(await newKey())).toBe(200);
  });

  function greet(token: string): WebSocket {
    const headers = { 'x-forwarded-for': address };
    const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}/graphql`, 'graphql-transport-ws', { headers });
    socket.once('open', () =>
      socket.send(JSON.stringify({ type: 'connection_init', payload: { Authorization: `Bearer ${token}` } })),
    );
    return socket;
  }
  const closeCode = (token: string): Promise<number> =>
    new Promise((resolve) => greet(token).once('close', (code) => resolve(code)));
  async function acknowledged(token: string): Promise<boolean> {
    const socket = greet(token);
    let received = '';
    socket.on('message', (data: Buffer) => (received += data.toString()));
    await until(async () => received !== '' || socket.readyState === WebSocket.CLOSED);
    socket.terminate();
    return received.includes('connection_ack');
  }
});
