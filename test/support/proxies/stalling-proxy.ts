import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A proxy before PostgreSQL that passes everything on, until `stall` stops both directions. */
export class StallingProxy {
  private readonly sockets = new Set<Socket>();
  private isStalled = false;

  private constructor(
    private readonly server: Server,
    /** Of the database, through this proxy. */
    readonly url: string,
  ) {}

  static async start(databaseUrl: string): Promise<StallingProxy> {
    const behind = new URL(databaseUrl);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = new URL(databaseUrl);
    url.searchParams.delete('host');
    url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const proxy = new StallingProxy(server, url.href);
    server.on('connection', (client) => proxy.take(client, behind));
    return proxy;
  }

  /** As a server whose processes are stopped: connections are accepted and stay open, and nothing answers. */
  stall(): void {
    this.isStalled = true;
    for (const socket of this.sockets) socket.pause();
  }

  resume(): void {
    this.isStalled = false;
    for (const socket of this.sockets) socket.resume();
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private take(client: Socket, { port, searchParams }: URL): void {
    const folder = searchParams.get('host');
    const server = folder === null ? connect(Number(port)) : connect(`${folder}/.s.PGSQL.${port}`);
    this.relay(client, server);
    this.relay(server, client);
  }

  private relay(from: Socket, to: Socket): void {
    this.sockets.add(from);
    from.on('data', (chunk: Buffer) => to.write(chunk));
    from.on('error', () => to.destroy());
    from.on('close', () => {
      this.sockets.delete(from);
      to.destroy();
    });
    if (this.isStalled) from.pause();
  }
}
