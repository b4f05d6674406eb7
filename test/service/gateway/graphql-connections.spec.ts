import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { sharedGateway, type GatewayApp } from '../../support/fixtures/gateway-app.js';
import { LiveClients, watch } from '../../support/live/live-client.js';
import { until } from '../../support/timing/until.js';

const STATS = 'subscription ($id: ID!) { domainStats(domainId: $id) { delivered } }';
let gateway: GatewayApp;
let clients: LiveClients;
let account: Awaited<ReturnType<GatewayApp['account']>>;
const sockets: WebSocket[] = [];

beforeAll(async () => {
  gateway = await sharedGateway();
  clients = new LiveClients(gateway.url);
});
beforeEach(async () => {
  account = await gateway.account();
});
afterEach(async () => {
  await clients.close();
  sockets.splice(0).forEach((socket) => socket.terminate());
});

describe('limits of connections', () => {
  const open = (): WebSocket => {
    const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}/graphql`, 'graphql-transport-ws');
    sockets.push(socket);
    return socket;
  };
  const closeOf = (socket: WebSocket) =>
    new Promise<{ code: number; reason: string }>((resolve) =>
      socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() })),
    );
  const hello = (socket: WebSocket) =>
    socket.on('open', () =>
      socket.send(JSON.stringify({ type: 'connection_init', payload: { Authorization: `Bearer ${account.key}` } })),
    );

  it('name HTTP to a client that sends too large a message', async () => {
    const socket = hello(open());
    const closed = closeOf(socket);
    socket.on('message', () =>
      socket.send(
        JSON.stringify({ id: '1', type: 'subscribe', payload: { query: `{ domains { id } } #${'x'.repeat(65_536)}` } }),
      ),
    );
    expect(await closed).toMatchObject({ code: 1009, reason: expect.stringContaining('over HTTP') as string });
  });

  it('refuse the 51st connection of an account, and the 21st operation of a connection', async () => {
    const acknowledged: WebSocket[] = [];
    const wanted = Array.from({ length: 50 }, () => hello(open()));
    for (const socket of wanted) socket.on('message', () => acknowledged.push(socket));
    await until(async () => acknowledged.length === 50);
    expect(await closeOf(hello(open()))).toEqual({ code: 4429, reason: 'At most 50 connections per account' });
    const [one] = acknowledged;
    const closed = closeOf(one);
    for (let i = 0; i < 21; i++)
      one.send(
        JSON.stringify({
          id: String(i),
          type: 'subscribe',
          payload: { query: STATS, variables: { id: account.domainId } },
        }),
      );
    expect(await closed).toEqual({ code: 4429, reason: 'At most 20 operations per connection' });
  });

  it('let many subscriptions at once wait in line, and serve them all', async () => {
    const shared = Array.from({ length: 25 }, () => clients.open(account.key));
    const seen = shared.flatMap((each) =>
      Array.from({ length: 20 }, () => watch(each, STATS, { id: account.domainId })),
    );
    await until(async () => seen.every((answers) => answers.length === 1), { what: '500 snapshots' });
    expect(seen.filter(([{ errors }]) => errors !== undefined)).toEqual([]);
  });
});
