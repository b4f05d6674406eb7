import { setTimeout } from 'node:timers/promises';
import WebSocket from 'ws';

/** A WebSocket at `/graphql` that says hello with this key as soon as it is open. */
export function helloSocket(port: number, key: string): WebSocket {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/graphql`, 'graphql-transport-ws');
  socket.on('error', () => undefined);
  socket.once('open', () => socket.send(hello(key)));
  return socket;
}

const hello = (key: string): string =>
  JSON.stringify({ type: 'connection_init', payload: { Authorization: `Bearer ${key}` } });

/** Longer than a server caches a key. */
const CACHED_MS = 600;

/** WebSockets that all say hello at once and go away before the answer, for which the server has to look up the key. */
export async function abortHellos(port: number, key: string, count: number): Promise<void> {
  const sockets = Array.from(
    { length: count },
    () => new WebSocket(`ws://127.0.0.1:${port}/graphql`, 'graphql-transport-ws'),
  );
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('open', resolve))));
  await setTimeout(CACHED_MS);
  const closed = sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
  for (const socket of sockets) {
    socket.send(hello(key));
    socket.terminate();
  }
  await Promise.all(closed);
}

/** True when the server accepts the connection, false when it closes it. */
export async function isAcknowledged(socket: WebSocket): Promise<boolean> {
  const acknowledged = await new Promise<boolean>((resolve) => {
    socket.once('message', (data: Buffer) => resolve(data.toString().includes('connection_ack')));
    socket.once('close', () => resolve(false));
  });
  socket.terminate();
  return acknowledged;
}
