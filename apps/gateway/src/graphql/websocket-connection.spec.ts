import type { AddressInfo } from 'node:net';
import { Log } from '#libs/kernel';
import { buildSchema } from 'graphql';
import { handleProtocols, makeServer } from 'graphql-ws';
import { afterEach, expect, it } from 'vitest';
import WebSocket, { WebSocketServer } from 'ws';
import type { Session } from './websocket-protocol.js';
import { until } from '../../../../test/support/until.js';
import { serveConnection } from './websocket-connection.js';

// More than the socket buffers of both ends hold on loopback.
const LARGE = 'x'.repeat(32 * 1024 * 1024);
const servers: WebSocketServer[] = [];
const sockets: WebSocket[] = [];
afterEach(() => {
  servers.splice(0).forEach((server) => server.close());
  sockets.length = 0;
});

/** A client of a server with one large response. */
async function connect(times: { stallMs: number; pingMs: number }): Promise<WebSocket> {
  const server = makeServer<undefined, Session>({
    schema: buildSchema('type Query { large: String }'),
    roots: { query: { large: LARGE } },
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
  client.on('open', () => client.send('{"type":"connection_init"}'));
  await new Promise((resolve) => client.once('message', resolve));
  return client;
}
/** The server side of the connection. */
const served = (): WebSocket => sockets[0];
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
