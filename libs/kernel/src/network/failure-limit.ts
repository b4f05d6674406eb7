import { clientNetwork } from './client-network.js';

const WINDOW_MS = 60_000;
const MAX_NETWORKS = 10_000;

interface Failure {
  at: number;
  of: string | undefined;
}

/**
 * Blocks client networks with too many failed logins within the last minute. Bounded: the network whose last failure is
 * the oldest is forgotten.
 */
export class FailureLimit {
  private readonly failures = new Map<string, Failure[]>();

  /** @param clock milliseconds on a clock that never goes back */
  constructor(
    private readonly perMinute: number,
    private readonly clock: () => number = () => performance.now(),
  ) {}

  isBlocked(address: string): boolean {
    return this.recent(address).length >= this.perMinute;
  }

  /** Whole seconds until the network of this address may try again; 0 if it may now. */
  blockedSeconds(address: string): number {
    const recent = this.recent(address);
    if (recent.length < this.perMinute) return 0;
    return Math.max(1, Math.ceil((recent[recent.length - this.perMinute].at + WINDOW_MS - this.clock()) / 1_000));
  }

  /**
   * @param of what failed, for example a digest of a key. A repetition within a minute of its first failure does not
   * count. Without it, every failure counts.
   */
  recordFailure(address: string, of?: string): void {
    const network = clientNetwork(address);
    const recent = this.recent(address);
    const isRepeated = of !== undefined && recent.some((failure) => failure.of === of);
    this.failures.delete(network);
    // Failures of concurrent attempts beyond the limit change nothing.
    const kept = isRepeated || recent.length >= this.perMinute ? recent : [...recent, { at: this.clock(), of }];
    this.failures.set(network, kept);
    if (this.failures.size > MAX_NETWORKS) this.failures.delete(this.failures.keys().next().value as string);
  }

  private recent(address: string): Failure[] {
    const since = this.clock() - WINDOW_MS;
    return (this.failures.get(clientNetwork(address)) ?? []).filter(({ at }) => at > since);
  }
}
