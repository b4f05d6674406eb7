import type { AddressInfo } from 'node:net';
import { Log } from '#libs/kernel';
import { buildSchema } from 'graphql';
import { handleProtocols, makeServer } from 'graphql-ws';
import { afterEach, expect, it } from 'vitest';
import WebSocket, { WebSocketServer } from 'ws';
import type { SocketSession } from './graphql-protocol.js';
import { until } from '../../../../test/support/until.js';
import { serveSocket } from './graphql-socket.js';

// More than the buffers of both kernels hold on loopback.
const LARGE = 'x'.repeat(32 * 1024 * 1024);
const doors: WebSocketServer[] = [];
const sockets: WebSocket[] = [];
afterEach(() => {
  doors.splice(0).forEach((door) => door.close());
  sockets.length = 0;
});

/** A socket whose peer asks for one large answer. */
async function connect(times: { stallMs: number; pingMs: number }): Promise<WebSocket> {
  const server = makeServer<undefined, SocketSession>({
    schema: buildSchema('type Query { large: String }'),
    roots: { query: { large: LARGE } },
  });
  const door = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols });
  doors.push(door);
  door.on('connection', (socket, request) => {
    sockets.push(socket);
    serveSocket(server, { socket, request, log: Log.quiet(), times });
  });
  await new Promise((resolve) => door.once('listening', resolve));
  const { port } = door.address() as AddressInfo;
  const client = new WebSocket(`ws://127.0.0.1:${port}`, 'graphql-transport-ws');
  client.on('open', () => client.send('{"type":"connection_init"}'));
  await new Promise((resolve) => client.once('message', resolve));
  return client;
}
/** The server's end of the line. */
const served = (): WebSocket => sockets[0];
const closeOf = (client: WebSocket) => new Promise<number>((resolve) => client.once('close', resolve));
const ask = (client: WebSocket) => client.send('{"id":"1","type":"subscribe","payload":{"query":"{ large }"}}');

it('closes a reader that takes nothing with 4510', async () => {
  const client = await connect({ stallMs: 200, pingMs: 60_000 });
  const closed = closeOf(client);
  ask(client);
  client.pause();
  await until(async () => served().readyState === WebSocket.CLOSING);
  client.resume();
  expect(await closed).toBe(4510);
});

it('lets a reader that takes its time finish', async () => {
  const client = await connect({ stallMs: 5_000, pingMs: 60_000 });
  const answer = new Promise<number>((resolve) => client.once('message', (data: Buffer) => resolve(data.length)));
  ask(client);
  client.pause();
  setTimeout(() => client.resume(), 300);
  expect(await answer).toBeGreaterThan(LARGE.length);
  client.close();
});

it('ends a peer that answers no ping', async () => {
  const client = await connect({ stallMs: 60_000, pingMs: 50 });
  const closed = closeOf(client);
  client.pause();
  await until(async () => served().readyState === WebSocket.CLOSED);
  client.resume();
  expect(await closed).toBe(1006);
});
