import type { AddressInfo } from 'node:net';
import type { Principal } from '#libs/accounts';
import { Log, yielding } from '#libs/kernel';
import { buildSchema } from 'graphql';
import { handleProtocols, makeServer } from 'graphql-ws';
import { afterEach, describe, expect, it } from 'vitest';
import WebSocket, { WebSocketServer } from 'ws';
import type { Session } from './websocket-protocol.js';
import { until } from '../../../../test/support/timing/until.js';
import { serveConnection } from './websocket-connection.js';

// More than the socket buffers of both ends hold on loopback.
const LARGE = 'x'.repeat(32 * 1024 * 1024);
const MEBIBYTE = 1024 * 1024;
const PATIENT = { stallMs: 60_000, pingMs: 60_000 };
const servers: WebSocketServer[] = [];
const sockets: WebSocket[] = [];
afterEach(() => {
  servers.splice(0).forEach((server) => server.close());
  sockets.length = 0;
});

/** A client of a server with one large response. */
async function connect(times: { stallMs: number; pingMs: number }): Promise<WebSocket> {
  const client = await open(times);
  client.send('{"type":"connection_init"}');
  await new Promise((resolve) => client.once('message', resolve));
  return client;
}
/** The same without `connection_init`. */
async function open(times: { stallMs: number; pingMs: number } = PATIENT): Promise<WebSocket> {
  const server = makeServer<undefined, Session>({
    schema: buildSchema('type Query { large: String }'),
    roots: { query: { large: LARGE } },
    onConnect: ({ extra }) => {
      extra.principal = {} as Principal;
    },
  });
  const socketServer = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols });
  servers.push(socketServer);
  socketServer.on('connection', (socket, request) => {
    sockets.push(socket);
    serveConnection(server, { socket, connection: request.socket, request, log: Log.quiet(), times });
  });
  await new Promise((resolve) => socketServer.once('listening', resolve));
  const { port } = socketServer.address() as AddressInfo;
  const client = new WebSocket(`ws://127.0.0.1:${port}`, 'graphql-transport-ws');
  await new Promise((resolve) => client.once('open', resolve));
  return client;
}
/** The server side of the connection. */
const served = (): WebSocket => sockets[0];
const isOpen = (): boolean => served().readyState === WebSocket.OPEN;
const closeOf = (client: WebSocket) => new Promise<number>((resolve) => client.once('close', resolve));
const ask = (client: WebSocket) => client.send('{"id":"1","type":"subscribe","payload":{"query":"{ large }"}}');

it('closes a client that does not read with 4510', async () => {
  const client = await connect({ stallMs: 200, pingMs: 60_000 });
  const closed = closeOf(client);
  ask(client);
  client.pause();
  await until(async () => served().readyState === WebSocket.CLOSING);
  client.resume();
  expect(await closed).toBe(4510);
});

it('does not close a client that reads slowly', async () => {
  const client = await connect({ stallMs: 5_000, pingMs: 60_000 });
  const answer = new Promise<number>((resolve) => client.once('message', (data: Buffer) => resolve(data.length)));
  ask(client);
  client.pause();
  setTimeout(() => client.resume(), 300);
  expect(await answer).toBeGreaterThan(LARGE.length);
  client.close();
});

it('terminates a client that answers no ping', async () => {
  const client = await connect({ stallMs: 60_000, pingMs: 50 });
  const closed = closeOf(client);
  client.pause();
  await until(async () => served().readyState === WebSocket.CLOSED);
  client.resume();
  expect(await closed).toBe(1006);
});

it('answers a ping without its payload', async () => {
  const client = await connect(PATIENT);
  const answer = new Promise<string>((resolve) => client.once('message', (data: Buffer) => resolve(data.toString())));
  client.send(JSON.stringify({ type: 'ping', payload: { echo: 'x'.repeat(50_000) } }));
  expect(JSON.parse(await answer)).toEqual({ type: 'pong' });
  client.close();
});

describe('a client that sends and does not read', () => {
  let id = 0;
  type Send = (to: WebSocket) => void;
  const largePing = JSON.stringify({ type: 'ping', payload: { pad: 'x'.repeat(30_000) } });
  const invalidOperation: Send = (to) =>
    to.send(
      JSON.stringify({ id: String((id += 1)), type: 'subscribe', payload: { query: `{ ${'none'.repeat(1_000)} }` } }),
    );

  /** The most that was waiting for the client on the side of the server. */
  async function flood(client: WebSocket, count: number, send: Send): Promise<number> {
    client.pause();
    let highest = 0;
    for (let i = 0; i < count && isOpen() && !served().isPaused; i++) {
      send(client);
      if (i % 100 === 0) await yielding.pause();
      highest = Math.max(highest, served().bufferedAmount);
    }
    const isRead = async () => client.bufferedAmount === 0 || served().isPaused || !isOpen();
    await until(isRead);
    return Math.max(highest, served().bufferedAmount);
  }

  it('is not read any more', async () => {
    const client = await connect(PATIENT);
    expect(await flood(client, 100_000, invalidOperation)).toBeLessThan(MEBIBYTE);
    await until(async () => served().isPaused);
    expect(served().readyState).toBe(WebSocket.OPEN);
    expect(served().bufferedAmount).toBeLessThan(MEBIBYTE);
    client.terminate();
  });

  it.each<[string, Send, () => Promise<WebSocket>]>([
    ['large pings', (to) => to.send(largePing), () => connect(PATIENT)],
    ['control frames', (to) => to.ping('x'.repeat(125)), () => connect(PATIENT)],
    ['control frames before its login', (to) => to.ping('x'.repeat(125)), () => open()],
  ])('finds no large answers collected: %s', async (_name, send, connected) => {
    const client = await connected();
    expect(await flood(client, 2_000, send)).toBeLessThan(MEBIBYTE);
    client.terminate();
  });

  it('is read again when it reads, and misses nothing', async () => {
    const client = await connect(PATIENT);
    let answers = 0;
    client.on('message', () => (answers += 1));
    let sent = 0;
    await flood(client, 100_000, (to) => {
      sent += 1;
      invalidOperation(to);
    });
    await until(async () => served().isPaused);
    client.resume();
    await until(async () => answers === sent);
    expect(served().isPaused).toBe(false);
    client.close();
  });

  it('is closed when more results wait for it than the bound', async () => {
    const client = await connect(PATIENT);
    const closed = closeOf(client);
    client.pause();
    for (let id = 0; id < 20; id++)
      client.send(JSON.stringify({ id: String(id), type: 'subscribe', payload: { query: '{ large }' } }));
    await until(async () => served().readyState === WebSocket.CLOSING);
    expect(served().bufferedAmount).toBeLessThan(LARGE.length + MEBIBYTE);
    client.resume();
    expect(await closed).toBe(4510);
  });
});

it('closes a client that sends many messages before its login', async () => {
  const client = await open();
  const closed = closeOf(client);
  for (let i = 0; i < 100; i++) client.send('{"type":"ping"}');
  expect(await closed).toBe(4429);
});

it('closes with a reason that fits, whatever the id that it quotes', async () => {
  const client = await connect(PATIENT);
  const closed = closeOf(client);
  const operation = { id: 'ü'.repeat(1_000), type: 'subscribe', payload: { query: '{ large }' } };
  client.send(JSON.stringify(operation));
  client.send(JSON.stringify(operation));
  expect(await closed).toBe(4409);
});
