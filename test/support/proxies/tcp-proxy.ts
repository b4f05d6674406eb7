import { connect, createServer, type AddressInfo, type NetConnectOpts, type Server, type Socket } from 'node:net';

/** An answer that its client never gets. Both patterns are matched against single segments, as Latin-1. */
interface Loss {
  request: RegExp;
  answer: RegExp;
  then: 'close' | 'silence';
}

/** Of PostgreSQL: ReadyForQuery (protocol 3.0), which says that the transaction before it has ended. */
export const QUERY_ENDED = /Z\0\0\0\x05.$/s;

/** A proxy on loopback that passes everything on, until a test disturbs it. */
export class TcpProxy {
  private readonly pairs = new Set<readonly [client: Socket, upstream: Socket]>();
  private isStalled = false;
  private awaited: (Loss & { lost: () => void }) | null = null;

  private constructor(
    private readonly server: Server,
    /** Of the target, by way of this proxy. */
    readonly url: string,
  ) {}

  /** @param target URL of a database or an HTTP server */
  static async start(target: string): Promise<TcpProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = new URL(target);
    url.searchParams.delete('host');
    url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const proxy = new TcpProxy(server, url.href.replace(/\/$/, ''));
    server.on('connection', (client) => proxy.relay(client, connect(addressOf(new URL(target)))));
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** As a server whose processes are stopped: connections are accepted and stay open, and nothing answers. */
  stall(): void {
    this.isStalled = true;
    for (const socket of [...this.pairs].flat()) socket.pause();
  }

  resume(): void {
    this.isStalled = false;
    for (const socket of [...this.pairs].flat()) socket.resume();
  }

  /** Resets all connections; returns how many. */
  cut(): number {
    const open = [...this.pairs];
    for (const [client, upstream] of open) {
      client.resetAndDestroy();
      upstream.destroy();
    }
    return open.length;
  }

  /** Keeps back the answer to the next such request. Resolves when the server has given it. */
  loseAnswer(loss: Loss): Promise<void> {
    return new Promise((lost) => (this.awaited = { ...loss, lost }));
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private relay(client: Socket, upstream: Socket): void {
    const pair = [client, upstream] as const;
    const end = () => {
      this.pairs.delete(pair);
      for (const socket of pair) socket.destroy();
    };
    let loss: typeof this.awaited = null;
    this.pairs.add(pair);
    for (const socket of pair) {
      socket.on('error', end).on('close', end);
      if (this.isStalled) socket.pause();
    }
    client.on('data', (chunk) => {
      if (this.awaited?.request.test(chunk.toString('latin1')) === true) [loss, this.awaited] = [this.awaited, null];
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (loss === null) return void client.write(chunk);
      if (!loss.answer.test(chunk.toString('latin1'))) return;
      if (loss.then === 'close') end();
      loss.lost();
    });
  }
}

/** A TCP address, or the socket in the folder of the parameter `host`. */
function addressOf({ hostname, port, protocol, searchParams }: URL): NetConnectOpts {
  const folder = searchParams.get('host');
  const number = Number(port || (protocol.startsWith('postgres') ? 5432 : 80));
  return folder?.startsWith('/') ? { path: `${folder}/.s.PGSQL.${number}` } : { host: hostname, port: number };
}
