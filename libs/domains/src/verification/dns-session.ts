import { DnsServer } from './dns-server.js';

/** The servers that one check asks; all give up together. */
export class DnsSession {
  private readonly servers: DnsServer[] = [];
  private readonly deadline: NodeJS.Timeout;
  private over = false;

  constructor(withinMs: number) {
    this.deadline = setTimeout(() => this.cancel(), withinMs);
  }

  /** As `new DnsServer`. */
  server(addresses: readonly string[], knows: 'everything' | 'zone' = 'everything'): DnsServer {
    const server = new DnsServer(addresses, knows);
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
