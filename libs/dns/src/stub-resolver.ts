import { Resolver as CAres } from 'node:dns/promises';
import type { MxRecord, RecordWithTtl } from 'node:dns';
import { dnsErrorCode, isAbsent } from './dns-error.js';
import { canonicalName, reverseName } from './dns-name.js';

export interface StubResolverSettings {
  /** `ip` or `ip:port`, asked in this order; empty or absent: the servers of this machine. */
  servers?: readonly string[];
  /** Milliseconds that one query waits for one server. */
  timeoutMs: number;
  /** 1: each query is sent once. Otherwise it is sent again until so many time-outs are over. Default: 2. */
  tries?: number;
}

/** Timers may fire that early. */
const CLOCK_MS = 50;

/**
 * Queries name servers through c-ares; never `dns.lookup`, which would hold one of libuv's four threads per query.
 * Nothing is cached. Rejects with the errors of `node:dns`.
 */
export class StubResolver {
  private readonly dns: CAres;
  private readonly retryMs: number;

  constructor({ servers = [], timeoutMs, tries = 2 }: StubResolverSettings) {
    this.dns = new CAres({ timeout: timeoutMs, tries });
    if (servers.length > 0) this.dns.setServers(servers);
    this.retryMs = tries === 1 ? 0 : tries * timeoutMs;
  }

  /** `ip` or `ip:port`; of the system, unless others were given. */
  get servers(): string[] {
    return this.dns.getServers();
  }

  mx(name: string): Promise<MxRecord[]> {
    return this.retryOnTimeout(() => this.dns.resolveMx(name));
  }

  ipv4(name: string): Promise<RecordWithTtl[]> {
    return this.retryOnTimeout(() => this.dns.resolve4(name, { ttl: true }));
  }

  ipv6(name: string): Promise<RecordWithTtl[]> {
    return this.retryOnTimeout(() => this.dns.resolve6(name, { ttl: true }));
  }

  /** The strings of each record are joined. */
  async txt(name: string): Promise<string[]> {
    return (await this.retryOnTimeout(() => this.dns.resolveTxt(name))).map((strings) => strings.join(''));
  }

  /** As `txt`; empty where there are none. */
  async txtOrNone(name: string): Promise<string[]> {
    try {
      return await this.txt(name);
    } catch (error) {
      if (isAbsent(error)) return [];
      throw error;
    }
  }

  async cname(name: string): Promise<string[]> {
    return (await this.retryOnTimeout(() => this.dns.resolveCname(name))).map(canonicalName);
  }

  async ns(name: string): Promise<string[]> {
    return (await this.retryOnTimeout(() => this.dns.resolveNs(name))).map(canonicalName);
  }

  /** PTR records as others see them: `reverse()` of `node:dns` would read the hosts file of this machine first. */
  async ptr(address: string): Promise<string[]> {
    return (await this.retryOnTimeout(() => this.dns.resolvePtr(reverseName(address)))).map(canonicalName);
  }

  /** Rejects running queries. */
  cancel(): void {
    this.dns.cancel();
  }

  /**
   * Sends a query again on a time-out until the time for it is over: c-ares shortens its time-out after quick answers, so
   * that a name whose own servers are slow would have no answer although it has one. Rejects as the last query did.
   */
  private async retryOnTimeout<T>(query: () => Promise<T>): Promise<T> {
    const until = performance.now() + this.retryMs;
    for (;;) {
      try {
        return await query();
      } catch (error) {
        if (dnsErrorCode(error) !== 'ETIMEOUT' || performance.now() >= until - CLOCK_MS) throw error;
      }
    }
  }
}
