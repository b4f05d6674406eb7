import { networkOf } from './network-of.js';

/** How a new connection is met: served, told 421, or cut without a word. */
export type Welcome = 'serve' | 'refuse' | 'cut';

/** Told 421 up to this multiple of its share; beyond, even a TLS handshake to say so would cost more than it is worth. */
const PATIENCE = 2;

/** Open connections of each client network and of all; one of these for all doors that share a process. */
export class ConnectionCounts {
  private readonly open = new Map<string, number>();
  private total = 0;

  constructor(
    private readonly perNetwork: number,
    private readonly overall = Infinity,
  ) {}

  /** Counts one more; each has to `leave` once, however it was met. */
  enter(address: string): Welcome {
    const network = networkOf(address);
    const open = (this.open.get(network) ?? 0) + 1;
    this.open.set(network, open);
    this.total += 1;
    if (open > this.perNetwork * PATIENCE || this.total > this.overall * PATIENCE) return 'cut';
    return open > this.perNetwork || this.total > this.overall ? 'refuse' : 'serve';
  }

  leave(address: string): void {
    const network = networkOf(address);
    const open = (this.open.get(network) ?? 1) - 1;
    this.total -= 1;
    if (open > 0) this.open.set(network, open);
    else this.open.delete(network);
  }
}
