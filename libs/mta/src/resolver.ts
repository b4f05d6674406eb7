import { Resolver as DnsResolver } from 'node:dns/promises';
import net from 'node:net';
import { patientQuestion } from '#libs/kernel';
import { dnsFault } from './dns-fault.js';
import { NameServerWatch } from './name-server-watch.js';
import { reverseName } from './reverse-name.js';

export interface ResolverSettings {
  /** `ip` or `ip:port`; empty: the system's. */
  servers: string[];
  /** Milliseconds that one question waits at one server; asked twice. */
  timeoutMs: number;
  /** Told when none of the servers answers any more, and (null) when one does again. */
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
  /** `MX 0 .` alone: takes no mail (RFC 7505). */
  | { kind: 'null_mx' }
  | { kind: 'no_domain' }
  | { kind: 'temporary'; text: string };

export type AddressAnswer =
  { kind: 'addresses'; addresses: string[] } | { kind: 'none' } | { kind: 'temporary'; text: string };

/** What the PTR records of an address say; names in lower case without the final dot. */
export type NameAnswer = { kind: 'names'; names: string[] } | { kind: 'none' } | { kind: 'temporary'; text: string };

interface Cached<T> {
  value: T;
  /** On the clock of `performance.now()`. */
  until: number;
}

/** Longer than this no answer is trusted, whatever its TTL says. */
const LONGEST_MS = 60_000;
const MAX_CACHED = 10_000;
/** More aliases in a row than any resolver follows. */
const MAX_ALIASES = 16;

/**
 * DNS for delivery: MX, A, AAAA. Asks the configured servers only, through c-ares; never `dns.lookup`, which would hold
 * one of libuv's four threads per question. Good answers are kept up to 60 s, equal questions asked at once are one;
 * failures are not kept. While no server answers at all, only what is kept is answered: see `NameServerWatch`.
 */
export class Resolver {
  readonly #dns: DnsResolver;
  /** Each server alone, where there are several: for a second opinion. */
  readonly #each: DnsResolver[];
  readonly #watch: NameServerWatch;
  readonly #mx = new AnswerCache<MxAnswer>((answer) => answer.kind === 'hosts');
  readonly #addresses = new AnswerCache<AddressAnswer>((answer) => answer.kind === 'addresses');
  readonly #patienceMs: number;

  constructor(settings: ResolverSettings) {
    this.#patienceMs = 2 * settings.timeoutMs;
    this.#dns = new DnsResolver({ timeout: settings.timeoutMs, tries: 2 });
    if (settings.servers.length > 0) this.#dns.setServers(settings.servers);
    const servers = this.#dns.getServers();
    this.#each = servers.length < 2 ? [] : servers.map((server) => alone(server, settings.timeoutMs));
    this.#watch = new NameServerWatch(
      servers,
      (isAway) => {
        // What was asked of them has no answer any more; c-ares would wait for it for many seconds.
        if (isAway) this.#breakOff();
        settings.onOutage?.(this.outage);
      },
      settings.timeoutMs,
    );
  }

  /** A sentence, while none of the servers answers; null: one does, or nobody asked. */
  get outage(): string | null {
    return this.#watch.isAway ? `No name server answers: ${this.#watch.servers.join(', ')}.` : null;
  }

  /** Asks one of the servers by other means: its answer counts for the judgement, and while they are away none is asked. */
  watched<T>(question: () => Promise<T>): Promise<T> {
    return this.#watch.ask(question);
  }

  /** Whether something asked since then (of `performance.now()`) had no answer because the servers are away, or were. */
  wasAway(since: number): Promise<boolean> {
    return this.#watch.wasAway(since);
  }

  mx(domain: string): Promise<MxAnswer> {
    return this.#mx.get(domain, async () => ({ value: await this.#askMx(domain), ttlMs: LONGEST_MS }));
  }

  /** IPv4 first: many receivers trust IPv6 senders less. */
  addresses(host: string): Promise<AddressAnswer> {
    return this.#addresses.get(host, () => this.#askAddresses(host));
  }

  /** The TXT records of a name, their strings joined; rejects when DNS did not say. Not kept. */
  async texts(name: string): Promise<string[]> {
    try {
      return (await this.#ask(() => this.#dns.resolveTxt(name))).map((strings) => strings.join(''));
    } catch (error) {
      if (['ENODATA', 'ENOTFOUND'].includes(codeOf(error))) return [];
      throw error;
    }
  }

  /** The PTR records of an IP address as others see them: `reverse()` would ask this machine's hosts file first. Not kept. */
  names(address: string): Promise<NameAnswer> {
    return this.#askNames(`PTR question for ${address}`, () => this.#dns.resolvePtr(reverseName(address)));
  }

  /** Where the CNAME record of a name leads. Not kept. */
  aliases(name: string): Promise<NameAnswer> {
    return this.#askNames(`CNAME question for ${name}`, () => this.#dns.resolveCname(name));
  }

  /** Breaks off running questions; they answer `temporary`. */
  cancel(): void {
    this.#watch.stop();
    this.#breakOff();
  }

  #ask<T>(question: () => Promise<T>, patienceMs = this.#patienceMs): Promise<T> {
    return this.#watch.ask(() => patientQuestion(patienceMs, question));
  }

  async #askNames(question: string, ask: () => Promise<string[]>): Promise<NameAnswer> {
    try {
      const names = (await this.#ask(ask)).map(bareName);
      return names.length === 0 ? { kind: 'none' } : { kind: 'names', names };
    } catch (error) {
      const code = codeOf(error);
      if (code === 'ENODATA' || code === 'ENOTFOUND') return { kind: 'none' };
      return { kind: 'temporary', text: `${question}: ${dnsFault(code)}` };
    }
  }

  #breakOff(): void {
    for (const dns of [this.#dns, ...this.#each]) dns.cancel();
  }

  /** That a domain does not exist is believed when no other server knows it: one of them may lag behind. */
  async #askMx(domain: string): Promise<MxAnswer> {
    const answer = await this.#questionMx(this.#dns, domain);
    if (answer.kind !== 'no_domain') return answer;
    const opinions = await Promise.all(this.#each.map((dns) => this.#questionMx(dns, domain, 0)));
    return opinions.find(({ kind }) => kind !== 'no_domain' && kind !== 'temporary') ?? answer;
  }

  async #questionMx(dns: DnsResolver, domain: string, patienceMs = this.#patienceMs): Promise<MxAnswer> {
    try {
      const records = await this.#ask(() => dns.resolveMx(domain), patienceMs);
      // RFC 5321 §5.1: what an alias (CNAME) leads to is treated as if it were the domain itself.
      if (records.length === 0)
        return (await this.#aliasEnds(dns, domain, patienceMs))
          ? { kind: 'implicit' }
          : { kind: 'temporary', text: `MX question for ${domain}: ${CIRCLE}` };
      const hosts = records
        .map(({ exchange, priority }) => ({ exchange: bareName(exchange), preference: priority }))
        .filter(({ exchange }) => exchange !== '');
      if (hosts.length === 0) return { kind: 'null_mx' };
      // RFC 5321 §5.1: an exchange is a name; an address literal there is unusable.
      return { kind: 'hosts', hosts: hosts.filter(({ exchange }) => net.isIP(exchange) === 0) };
    } catch (error) {
      const code = codeOf(error);
      if (code === 'ENODATA') return { kind: 'implicit' };
      if (code === 'ENOTFOUND') return { kind: 'no_domain' };
      return { kind: 'temporary', text: `MX question for ${domain}: ${dnsFault(code)}` };
    }
  }

  async #askAddresses(host: string): Promise<{ value: AddressAnswer; ttlMs: number }> {
    const answers = await Promise.allSettled([
      this.#ask(() => this.#dns.resolve4(host, { ttl: true })),
      this.#ask(() => this.#dns.resolve6(host, { ttl: true })),
    ]);
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (found.length > 0) {
      const ttlMs = Math.min(LONGEST_MS, ...found.map((record) => record.ttl * 1000));
      return { value: { kind: 'addresses', addresses: found.map((record) => record.address) }, ttlMs };
    }
    const fault = await this.#whyNoAddress(host, answers);
    if (fault === null) return { value: { kind: 'none' }, ttlMs: 0 };
    return { value: { kind: 'temporary', text: `address question for ${host}: ${fault}` }, ttlMs: 0 };
  }

  /** Null: the host has none. */
  async #whyNoAddress(host: string, answers: readonly PromiseSettledResult<unknown>[]): Promise<string | null> {
    const codes = answers.map((answer) => (answer.status === 'rejected' ? codeOf(answer.reason) : 'ENODATA'));
    const failed = codes.find((code) => code !== 'ENODATA' && code !== 'ENOTFOUND');
    if (failed !== undefined) return dnsFault(failed);
    if (answers.every(({ status }) => status === 'rejected')) return null;
    try {
      return (await this.#aliasEnds(this.#dns, host)) ? null : CIRCLE;
    } catch (error) {
      return dnsFault(codeOf(error));
    }
  }

  /**
   * c-ares answers an alias by an empty list, both when its target has no such record and when aliases lead in a circle.
   * True: there is a target. Rejects when DNS did not say.
   */
  async #aliasEnds(dns: DnsResolver, alias: string, patienceMs = this.#patienceMs): Promise<boolean> {
    let name = alias;
    for (let i = 0; i < MAX_ALIASES; i++) {
      try {
        const [next] = await this.#ask(() => dns.resolveCname(name), patienceMs);
        if (next === undefined) return true;
        name = next;
      } catch (error) {
        if (['ENODATA', 'ENOTFOUND'].includes(codeOf(error))) return true;
        throw error;
      }
    }
    return false;
  }
}

const CIRCLE = 'its aliases (CNAME) lead in a circle';

class AnswerCache<T> {
  readonly #kept = new Map<string, Cached<T>>();
  readonly #asking = new Map<string, Promise<T>>();

  constructor(private readonly isGood: (value: T) => boolean) {}

  get(name: string, ask: () => Promise<{ value: T; ttlMs: number }>): Promise<T> {
    const kept = this.#kept.get(name);
    if (kept !== undefined && kept.until > performance.now()) return Promise.resolve(kept.value);
    let asking = this.#asking.get(name);
    if (asking === undefined) {
      asking = this.#ask(name, ask).finally(() => this.#asking.delete(name));
      this.#asking.set(name, asking);
    }
    return asking;
  }

  async #ask(name: string, ask: () => Promise<{ value: T; ttlMs: number }>): Promise<T> {
    const { value, ttlMs } = await ask();
    this.#kept.delete(name);
    if (!this.isGood(value) || ttlMs <= 0) return value;
    if (this.#kept.size >= MAX_CACHED)
      for (const oldest of [...this.#kept.keys()].slice(0, 100)) this.#kept.delete(oldest);
    this.#kept.set(name, { value, until: performance.now() + ttlMs });
    return value;
  }
}

function alone(server: string, timeoutMs: number): DnsResolver {
  const dns = new DnsResolver({ timeout: timeoutMs, tries: 1 });
  dns.setServers([server]);
  return dns;
}

function bareName(name: string): string {
  return name.replace(/\.$/, '').toLowerCase();
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : String(error);
}
