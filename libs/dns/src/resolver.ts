import net from 'node:net';
import { TtlMap } from '#libs/kernel';
import { dnsErrorCode, dnsErrorText, isAbsent } from './dns-error.js';
import { DnsHealth } from './dns-health.js';
import { canonicalName } from './dns-name.js';
import { StubResolver } from './stub-resolver.js';

export interface ResolverSettings {
  /** `ip` or `ip:port`; empty: the system's. */
  servers: string[];
  /** Milliseconds that one query waits for one server; each query is sent twice. */
  timeoutMs: number;
  /** Called with a sentence when none of the servers answers any more, and with null when one does again. */
  onOutage?: (text: string | null) => void;
}

export interface MxHost {
  /** Lower case, without the final dot. */
  exchange: string;
  preference: number;
}

export type MxAnswer =
  | { kind: 'hosts'; hosts: MxHost[] }
  /** The domain exists and has no MX: its own addresses count (RFC 5321 §5.1). */
  | { kind: 'implicit' }
  /** `MX 0 .` alone: the domain accepts no mail (RFC 7505). */
  | { kind: 'null_mx' }
  | { kind: 'no_domain' }
  | { kind: 'temporary'; text: string };

export type AddressAnswer =
  | { kind: 'addresses'; addresses: string[] }
  | { kind: 'none' }
  | { kind: 'temporary'; text: string };

/** Names are in lower case without the final dot. */
export type NameAnswer = { kind: 'names'; names: string[] } | { kind: 'none' } | { kind: 'temporary'; text: string };

/** Upper limit of the time that an answer is cached, whatever its TTL. */
const MAX_CACHE_MS = 60_000;
const MAX_CACHED = 10_000;
/** Longer chains of aliases than any resolver follows. */
const MAX_ALIASES = 16;
const ALIAS_LOOP = 'its aliases (CNAME) lead in a circle';

/**
 * DNS for delivery. Queries the configured servers only. Successful MX and address answers are cached for at most 60 s,
 * equal concurrent queries are sent once, failures are not cached. While no server answers at all, only cached answers
 * are returned; see `DnsHealth`.
 */
export class Resolver {
  private readonly dns: StubResolver;
  /** One per server, where there are several: for second opinions. */
  private readonly each: StubResolver[];
  private readonly health: DnsHealth;
  private readonly mxAnswers = new AnswerCache<MxAnswer>((answer) => answer.kind === 'hosts');
  private readonly addressAnswers = new AnswerCache<AddressAnswer>((answer) => answer.kind === 'addresses');

  constructor({ servers, timeoutMs, onOutage }: ResolverSettings) {
    this.dns = new StubResolver({ servers, timeoutMs });
    const all = this.dns.servers;
    this.each = all.length < 2 ? [] : all.map((server) => new StubResolver({ servers: [server], timeoutMs, tries: 1 }));
    this.health = new DnsHealth(
      all,
      (isUnavailable) => {
        // Pending queries would otherwise wait for many seconds.
        if (isUnavailable) this.cancelQueries();
        onOutage?.(this.outage);
      },
      timeoutMs,
    );
  }

  /** `ip` or `ip:port`. */
  get servers(): readonly string[] {
    return this.health.servers;
  }

  /** A sentence while none of the servers answers, otherwise null. */
  get outage(): string | null {
    return this.health.isUnavailable ? `No name server answers: ${this.health.servers.join(', ')}.` : null;
  }

  /** Runs a query that another client sends to the same servers; see `DnsHealth.track`. */
  track<T>(query: () => Promise<T>): Promise<T> {
    return this.health.track(query);
  }

  /** Whether a query since then (`performance.now()`) failed because the servers are or were unavailable. */
  wasUnavailable(since: number): Promise<boolean> {
    return this.health.wasUnavailable(since);
  }

  mx(domain: string): Promise<MxAnswer> {
    return this.mxAnswers.get(domain, async () => ({ value: await this.queryMx(domain), ttlMs: MAX_CACHE_MS }));
  }

  /** IPv4 first: many receivers trust IPv6 senders less. */
  addresses(host: string): Promise<AddressAnswer> {
    return this.addressAnswers.get(host, () => this.queryAddresses(host));
  }

  /** The TXT records of a name, the strings of each joined. Rejects when there is no answer. Not cached. */
  texts(name: string): Promise<string[]> {
    return this.track(() => this.dns.txtOrNone(name));
  }

  /** The PTR records of an IP address. Not cached. */
  names(address: string): Promise<NameAnswer> {
    return this.queryNames(`PTR question for ${address}`, () => this.dns.ptr(address));
  }

  /** The target of the CNAME record of a name. Not cached. */
  aliases(name: string): Promise<NameAnswer> {
    return this.queryNames(`CNAME question for ${name}`, () => this.dns.cname(name));
  }

  /** Cancels running queries; they answer `temporary`. */
  cancel(): void {
    this.health.stop();
    this.cancelQueries();
  }

  private async queryNames(question: string, query: () => Promise<string[]>): Promise<NameAnswer> {
    try {
      const names = await this.track(query);
      return names.length === 0 ? { kind: 'none' } : { kind: 'names', names };
    } catch (error) {
      if (isAbsent(error)) return { kind: 'none' };
      return { kind: 'temporary', text: `${question}: ${dnsErrorText(dnsErrorCode(error))}` };
    }
  }

  private cancelQueries(): void {
    for (const dns of [this.dns, ...this.each]) dns.cancel();
  }

  /** One server may lag behind: a domain does not exist only when no other server knows it either. */
  private async queryMx(domain: string): Promise<MxAnswer> {
    const answer = await this.queryMxAt(this.dns, domain);
    if (answer.kind !== 'no_domain') return answer;
    const opinions = await Promise.all(this.each.map((dns) => this.queryMxAt(dns, domain)));
    return opinions.find(({ kind }) => kind !== 'no_domain' && kind !== 'temporary') ?? answer;
  }

  private async queryMxAt(dns: StubResolver, domain: string): Promise<MxAnswer> {
    try {
      const records = await this.track(() => dns.mx(domain));
      // RFC 5321 §5.1: the target of an alias (CNAME) is treated as if it were the domain itself.
      if (records.length === 0)
        return (await this.aliasEnds(dns, domain))
          ? { kind: 'implicit' }
          : { kind: 'temporary', text: `MX question for ${domain}: ${ALIAS_LOOP}` };
      const hosts = records
        .map(({ exchange, priority }) => ({ exchange: canonicalName(exchange), preference: priority }))
        .filter(({ exchange }) => exchange !== '');
      if (hosts.length === 0) return { kind: 'null_mx' };
      // RFC 5321 §5.1: an exchange is a name; an address literal is unusable.
      return { kind: 'hosts', hosts: hosts.filter(({ exchange }) => net.isIP(exchange) === 0) };
    } catch (error) {
      const code = dnsErrorCode(error);
      if (code === 'ENODATA') return { kind: 'implicit' };
      if (code === 'ENOTFOUND') return { kind: 'no_domain' };
      return { kind: 'temporary', text: `MX question for ${domain}: ${dnsErrorText(code)}` };
    }
  }

  private async queryAddresses(host: string): Promise<{ value: AddressAnswer; ttlMs: number }> {
    const answers = await Promise.allSettled([
      this.track(() => this.dns.ipv4(host)),
      this.track(() => this.dns.ipv6(host)),
    ]);
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (found.length > 0) {
      const ttlMs = Math.min(MAX_CACHE_MS, ...found.map((record) => record.ttl * 1000));
      return { value: { kind: 'addresses', addresses: found.map((record) => record.address) }, ttlMs };
    }
    const failure = await this.whyNoAddress(host, answers);
    if (failure === null) return { value: { kind: 'none' }, ttlMs: 0 };
    return { value: { kind: 'temporary', text: `address question for ${host}: ${failure}` }, ttlMs: 0 };
  }

  /** Null: the host has none. */
  private async whyNoAddress(host: string, answers: readonly PromiseSettledResult<unknown>[]): Promise<string | null> {
    const errors = answers.filter((answer) => answer.status === 'rejected').map(({ reason }): unknown => reason);
    const failed = errors.find((error) => !isAbsent(error));
    if (failed !== undefined) return dnsErrorText(dnsErrorCode(failed));
    if (errors.length === answers.length) return null;
    try {
      return (await this.aliasEnds(this.dns, host)) ? null : ALIAS_LOOP;
    } catch (error) {
      return dnsErrorText(dnsErrorCode(error));
    }
  }

  /**
   * c-ares answers an alias with an empty list both when its target has no such record and when the aliases form a loop.
   * True: the chain has an end. Rejects when there is no answer.
   */
  private async aliasEnds(dns: StubResolver, alias: string): Promise<boolean> {
    let name = alias;
    for (let i = 0; i < MAX_ALIASES; i++) {
      try {
        const [next] = await this.track(() => dns.cname(name));
        if (next === undefined) return true;
        name = next;
      } catch (error) {
        if (isAbsent(error)) return true;
        throw error;
      }
    }
    return false;
  }
}

class AnswerCache<T> {
  private readonly cached = new TtlMap<string, { value: T }>(MAX_CACHED);
  private readonly pending = new Map<string, Promise<T>>();

  constructor(private readonly isCacheable: (value: T) => boolean) {}

  get(name: string, query: () => Promise<{ value: T; ttlMs: number }>): Promise<T> {
    const cached = this.cached.get(name);
    if (cached !== undefined) return Promise.resolve(cached.value);
    let pending = this.pending.get(name);
    if (pending === undefined) {
      pending = this.query(name, query).finally(() => this.pending.delete(name));
      this.pending.set(name, pending);
    }
    return pending;
  }

  private async query(name: string, query: () => Promise<{ value: T; ttlMs: number }>): Promise<T> {
    const { value, ttlMs } = await query();
    this.cached.delete(name);
    if (this.isCacheable(value) && ttlMs > 0) this.cached.set(name, { value }, ttlMs);
    return value;
  }
}
