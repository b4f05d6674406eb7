import { DnsServer } from './dns-server.js';

/** The servers that one check asks; all give up together. */
export class DnsSession {
  private readonly servers: DnsServer[] = [];
  private readonly deadline: NodeJS.Timeout;
  private over = false;

  constructor(withinMs: number) {
    this.deadline = setTimeout(() => this.cancel(), withinMs);
  }

  /** @param addresses `ip` or `ip:port`; empty: the resolvers of this machine */
  server(addresses: readonly string[]): DnsServer {
    const server = new DnsServer(addresses);
    this.servers.push(server);
    if (this.over) server.cancel();
    return server;
  }

  /** Whatever is not answered stays open. */
  cancel(): void {
    this.over = true;
    for (const server of this.servers) server.cancel();
  }

  close(): void {
    clearTimeout(this.deadline);
  }
}
