import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy before a ClickHouse server that can keep back the answer to an insert, which the server has then stored. */
export class KillingProxy {
  private waiting: { table: string; stored: () => void } | null = null;

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
  ) {
    server.on('request', (from: IncomingMessage, to: ServerResponse) => void this.pass(from, to));
  }

  static async start(target: string): Promise<KillingProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new KillingProxy(server, new URL(target));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Resolves when the server has stored the next insert into a table; its sender never hears of it. */
  storedInsert(table: string): Promise<void> {
    return new Promise((stored) => (this.waiting = { table, stored }));
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async pass(from: IncomingMessage, to: ServerResponse): Promise<void> {
    const body: Buffer[] = [];
    for await (const chunk of from) body.push(chunk as Buffer);
    const { hostname, port } = this.target;
    const onward = request({ hostname, port, path: from.url, method: from.method, headers: from.headers });
    onward.on('error', () => to.destroy());
    onward.on('response', (answer) => {
      const { waiting } = this;
      if (waiting && answer.statusCode === 200 && isInsert(from, Buffer.concat(body), waiting.table)) {
        this.waiting = null;
        answer.resume().on('end', () => waiting.stored());
        return;
      }
      to.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(to);
    });
    onward.end(Buffer.concat(body));
  }
}

/** The client puts the statement into the address, and the rows into the body. */
function isInsert({ url = '' }: IncomingMessage, body: Buffer, table: string): boolean {
  const query = new URL(url, 'http://proxy').searchParams.get('query') ?? '';
  return `${query}\n${body.subarray(0, 200).toString()}`.includes(`INSERT INTO ${table}`);
}
