import { Resolver as CAres } from 'node:dns/promises';
import { isReply } from './dns-error.js';

/** How often the servers are probed while replies are missing. */
const CHECK_MS = 1_000;
const PROBE_MS = 1_000;
/** While the servers are unavailable one real query is let through this often: a forwarder may ignore the probe. */
const TRIAL_MS = 5_000;

/**
 * Whether all of our name servers are unavailable. A time-out of one query does not tell: the servers of the queried zone
 * may be the silent ones. The servers count as unavailable only when a query for the root, which every server can answer,
 * times out as well. Any reply ends that state.
 */
export class DnsHealth {
  /** One for each server, since all of them must be silent. */
  private readonly probes: CAres[];
  private unavailable = false;
  /** All times are those of `performance.now()`. */
  private repliedAt = -Infinity;
  private timedOutAt = -Infinity;
  private recoveredAt = -Infinity;
  private probedAt = -Infinity;
  private triedAt = -Infinity;
  private pending = 0;
  private probing: Promise<void> | null = null;
  private timer: NodeJS.Timeout | null = null;
  private stopped = false;

  /** `onChange` must not throw. */
  constructor(
    readonly servers: readonly string[],
    private readonly onChange: (isUnavailable: boolean) => void,
    timeoutMs = PROBE_MS,
  ) {
    this.probes = servers.map((server) => {
      const dns = new CAres({ timeout: Math.min(PROBE_MS, timeoutMs), tries: 2 });
      dns.setServers([server]);
      return dns;
    });
  }

  get isUnavailable(): boolean {
    return this.unavailable;
  }

  /** Runs a query and counts its result. While the servers are unavailable it rejects without running the query. */
  async track<T>(query: () => Promise<T>): Promise<T> {
    if (this.unavailable && !this.mayTry()) {
      this.timedOutAt = performance.now();
      throw Object.assign(new Error('no name server answers'), { code: 'ECONNREFUSED' });
    }
    this.pending += 1;
    this.scheduleCheck();
    try {
      const answer = await query();
      this.onReply();
      return answer;
    } catch (error) {
      if (isReply(error)) this.onReply();
      else this.timedOutAt = performance.now();
      throw error;
    } finally {
      this.pending -= 1;
    }
  }

  /** Whether a query since then failed because the servers are or were unavailable. May take as long as a probe. */
  async wasUnavailable(since: number): Promise<boolean> {
    if (this.timedOutAt < since) return false;
    if (!this.unavailable && this.recoveredAt <= since) await this.probe();
    return this.unavailable || this.recoveredAt > since;
  }

  stop(): void {
    this.stopped = true;
    if (this.timer !== null) clearTimeout(this.timer);
    for (const dns of this.probes) dns.cancel();
  }

  private mayTry(): boolean {
    if (performance.now() - this.triedAt < TRIAL_MS) return false;
    this.triedAt = performance.now();
    return true;
  }

  private onReply(): void {
    const now = performance.now();
    this.repliedAt = now;
    if (!this.unavailable) return;
    this.unavailable = false;
    this.recoveredAt = now;
    this.onChange(false);
  }

  /** Repeats itself while a query is pending or the servers are unavailable. */
  private scheduleCheck(): void {
    if (this.timer !== null || this.stopped) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      if (this.pending === 0 && !this.unavailable) return;
      if (performance.now() - this.repliedAt >= CHECK_MS) void this.probe();
      this.scheduleCheck();
    }, CHECK_MS).unref();
  }

  /** One at a time and at most one per second, however many callers ask. Never rejects. */
  private probe(): Promise<void> {
    this.probing ??= this.probeAll().finally(() => (this.probing = null));
    return this.probing;
  }

  private async probeAll(): Promise<void> {
    const restMs = this.probedAt + CHECK_MS - performance.now();
    if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs).unref());
    if (this.stopped) return;
    this.probedAt = performance.now();
    // The first reply counts, so that a dead server delays nothing while another one works.
    const isAnswered = await Promise.any(this.probes.map(probeRoot)).catch(() => false);
    if (this.stopped) return;
    if (isAnswered) this.onReply();
    else if (!this.unavailable && this.repliedAt < this.probedAt) this.onSilence();
  }

  private onSilence(): void {
    this.unavailable = true;
    this.triedAt = performance.now();
    this.scheduleCheck();
    this.onChange(true);
  }
}

/** Rejects when there is no reply. */
async function probeRoot(dns: CAres): Promise<true> {
  try {
    await dns.resolveNs('.');
  } catch (error) {
    if (!isReply(error)) throw error;
  }
  return true;
}
