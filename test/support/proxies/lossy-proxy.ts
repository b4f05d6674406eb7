import { connect, createServer, type AddressInfo, type NetConnectOpts, type Socket } from 'node:net';

/** ReadyForQuery (PostgreSQL protocol 3.0): the transaction before it has ended. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5]);

/** A proxy before PostgreSQL that can lose an answer: the statement is committed, and its client never learns of it. */
export interface LossyProxy {
  /** The URL of the database by way of the proxy. */
  url: string;
  /** Breaks the connection of the next message with this text, instead of its answer. Resolves when that has happened. */
  loseAnswerTo(text: string): Promise<void>;
  close(): Promise<void>;
}

export async function lossyProxy(databaseUrl: string): Promise<LossyProxy> {
  const target = upstreamOf(new URL(databaseUrl));
  const sockets = new Set<Socket>();
  let awaited: { text: string; lost: () => void } | null = null;
  const server = createServer((client) => {
    const upstream = connect(target);
    let losing: (() => void) | null = null;
    const end = () => [client, upstream].forEach((socket) => socket.destroy());
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', end).on('close', () => {
        sockets.delete(socket);
        end();
      });
    }
    client.on('data', (chunk) => {
      if (awaited !== null && chunk.includes(awaited.text)) {
        losing = awaited.lost;
        awaited = null;
      }
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (losing === null) return void client.write(chunk);
      if (!chunk.subarray(-6).includes(READY)) return;
      end();
      losing();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.searchParams.delete('host');
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    loseAnswerTo: (text) => new Promise((resolve) => (awaited = { text, lost: resolve })),
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** A TCP address, or the socket in the folder of the parameter `host`. */
function upstreamOf({ hostname, port, searchParams }: URL): NetConnectOpts {
  const folder = searchParams.get('host');
  const number = Number(port || 5432);
  return folder?.startsWith('/') ? { path: `${folder}/.s.PGSQL.${number}` } : { host: hostname, port: number };
}
