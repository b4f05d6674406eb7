const WINDOW_MS = 60_000;
const MAX_ADDRESSES = 50_000;

/** Failed logins per client address within the last minute. Bounded: the address that failed longest ago is forgotten. */
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
    const times = [...this.recent(address), this.clock()];
    this.failures.delete(address);
    this.failures.set(address, times);
    if (this.failures.size > MAX_ADDRESSES) this.failures.delete(this.failures.keys().next().value as string);
  }

  private recent(address: string): number[] {
    const since = this.clock() - WINDOW_MS;
    return (this.failures.get(address) ?? []).filter((time) => time > since);
  }
}
