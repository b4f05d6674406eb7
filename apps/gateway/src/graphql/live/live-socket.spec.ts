import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, expect, it } from 'vitest';
import WebSocket, { WebSocketServer } from 'ws';
import { until } from '../../../../../test/support/timing/until.js';
import type { LiveFrames } from './live-frames.js';
import { LiveOperation, LiveSocket } from './live-socket.js';
import { LiveStream, SlowReader } from './live-stream.js';

// A few values fill the buffers of both ends on loopback.
const PAYLOAD = Buffer.from(JSON.stringify({ data: 'x'.repeat(1024 * 1024) }));
const servers: WebSocketServer[] = [];
afterEach(() => servers.splice(0).forEach((server) => server.close()));

interface Value {
  id: string;
}

/** Gives values until the test says that its buffer is full. */
class TestStream extends LiveStream<Value> {
  taken = 0;
  available = 0;
  isFull = false;
  closes = 0;

  take(): Value | undefined {
    return this.taken < this.available ? { id: `evt_${++this.taken}` } : undefined;
  }

  override failure(): Error | undefined {
    return this.isFull ? new SlowReader() : undefined;
  }

  override resumeHint(last: Value | undefined): string {
    return last ? `resume after ${last.id}` : 'Too slow';
  }

  protected onClose(): void {
    this.closes += 1;
  }

  change(to: Partial<Pick<TestStream, 'available' | 'isFull'>>): void {
    Object.assign(this, to);
    this.ready();
  }
}

async function connect(stallMs = 60_000) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  servers.push(server);
  const accepted = new Promise<[WebSocket, Duplex]>((resolve) =>
    server.once('connection', (socket, { socket: connection }) => resolve([socket, connection])),
  );
  await new Promise((resolve) => server.once('listening', resolve));
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  // A client that is still connecting cannot be paused.
  const opened = new Promise((resolve) => client.once('open', resolve));
  const [socket, connection] = await accepted;
  await opened;
  const stream = new TestStream();
  let released = 0;
  const shared = { frames: { of: () => PAYLOAD } as unknown as LiveFrames, release: () => void (released += 1) };
  const operation = new LiveOperation('1', stream, { socket: new LiveSocket(socket, connection, stallMs), shared });
  const ended = operation.next();
  const received: number[] = [];
  client.on('message', (data: Buffer) => received.push(data.length));
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    client.once('close', (code, reason) => resolve({ code, reason: reason.toString() })),
  );
  return { client, socket, stream, operation, ended, received, closed, released: () => released };
}

it('takes no further values from a source while the client does not read, and goes on when it does', async () => {
  const { client, stream, received } = await connect();
  client.pause();
  stream.change({ available: 60 });
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(stream.taken).toBeLessThan(60);
  client.resume();
  await until(async () => received.length === 60);
});

it('closes with 4510 and the last event that was sent when the buffer of a stream is full', async () => {
  const { client, stream, closed, received, released } = await connect();
  client.pause();
  stream.change({ available: 60 });
  await new Promise((resolve) => setTimeout(resolve, 50));
  const sent = stream.taken;
  stream.change({ isFull: true });
  expect([stream.closes, released()]).toEqual([1, 1]);
  client.resume();
  expect(await closed).toEqual({ code: 4510, reason: `resume after evt_${sent}` });
  // Everything that was sent before arrived.
  expect(received).toHaveLength(sent);
});

it('closes with 4510 when the client has not read for too long', async () => {
  const { client, socket, stream, closed } = await connect(100);
  client.pause();
  stream.change({ available: 60 });
  await until(async () => socket.readyState === WebSocket.CLOSING);
  client.resume();
  expect(await closed).toMatchObject({ code: 4510, reason: expect.stringMatching(/^resume after evt_\d+$/) as string });
});

it('ends with the operation, once', async () => {
  const { stream, operation, ended, released } = await connect();
  await operation.return();
  await operation.return();
  expect(await ended).toEqual({ value: undefined, done: true });
  expect([stream.closes, released()]).toEqual([1, 1]);
  stream.change({ available: 1 });
  expect(stream.taken).toBe(0);
});
