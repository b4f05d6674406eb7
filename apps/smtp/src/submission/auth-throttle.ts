import { networkOf } from '../door/network-of.js';

const WINDOW_MS = 60_000;
const MAX_NETWORKS = 50_000;

/**
 * Failed logins per client network (`networkOf`) within the last minute. Bounded: the one that failed longest ago is
 * forgotten.
 */
export class AuthThrottle {
  private readonly failures = new Map<string, number[]>();

  constructor(
    private readonly perMinute: number,
    private readonly clock: () => number = () => performance.now(),
  ) {}

  blocked(address: string): boolean {
    return this.recent(address).length >= this.perMinute;
  }

  failed(address: string): void {
    const network = networkOf(address);
    const times = [...this.recent(address), this.clock()];
    this.failures.delete(network);
    this.failures.set(network, times);
    if (this.failures.size > MAX_NETWORKS) this.failures.delete(this.failures.keys().next().value as string);
  }

  private recent(address: string): number[] {
    const since = this.clock() - WINDOW_MS;
    return (this.failures.get(networkOf(address)) ?? []).filter((time) => time > since);
  }
}
