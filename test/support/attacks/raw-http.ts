import { connect, type Socket } from 'node:net';

/** Where to connect to, and from which loopback address. */
export interface RawTarget {
  port: number;
  localAddress?: string;
}

/** A connection to an HTTP server, written to and read as bytes. It closes its own side only when told to. */
export class RawHttp {
  received = '';
  /** The server has closed its side. */
  ended = false;
  /** The connection no longer exists. */
  closed = false;

  private constructor(readonly socket: Socket) {
    socket.on('data', (chunk: Buffer) => (this.received += chunk.toString('latin1')));
    socket.on('end', () => (this.ended = true));
    socket.on('close', () => (this.closed = true));
    socket.on('error', () => undefined);
  }

  /** Resolves when the connection is open. */
  static async open(target: RawTarget): Promise<RawHttp> {
    const socket = connect({ host: '127.0.0.1', allowHalfOpen: true, ...target });
    const raw = new RawHttp(socket);
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return raw;
  }

  write(...lines: string[]): void {
    this.socket.write(lines.join('\r\n'));
  }

  destroy(): void {
    this.socket.destroy();
  }
}

/** The response to one request, head and body, after which the server closes the connection or `Connection: close` does. */
export async function rawResponse(target: RawTarget, ...lines: string[]): Promise<string> {
  const raw = await RawHttp.open(target);
  raw.write(...lines);
  await new Promise((resolve) => raw.socket.once('end', resolve).once('close', resolve));
  raw.destroy();
  return raw.received;
}

/** The status of each response in these bytes. */
export const statusesOf = (received: string): number[] =>
  [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

/** The request that asks for a WebSocket at `/graphql`. */
export const upgradeRequest = (target = '/graphql', ...headers: string[]): string[] => [
  `GET ${target} HTTP/1.1`,
  'Host: localhost',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Protocol: graphql-transport-ws',
  ...headers,
  '',
  '',
];
