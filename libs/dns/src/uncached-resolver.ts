import { dnsErrorCode, dnsErrorText, isAbsent } from './dns-error.js';
import { canonicalName } from './dns-name.js';
import { StubResolver } from './stub-resolver.js';

/** Values are texts with their strings joined, or host names in lower case without a final dot. */
export type DnsAnswer =
  | { kind: 'found'; values: string[] }
  /** The name, or this type of record at it, does not exist. */
  | { kind: 'none' }
  | { kind: 'no_answer'; reason: string };

const TIMEOUT_MS = 1_500;
/** Further values of an answer are dropped. */
const MAX_VALUES = 50;
const MAX_VALUE_LENGTH = 4_096;

/** After one of these errors the servers are not queried again: one check waits for a silent server once. */
const SILENCE = new Set(['ETIMEOUT', 'ECONNREFUSED', 'ECANCELLED']);

/** One or several servers as one check queries them: nothing is cached. Created for each check. */
export class UncachedResolver {
  private readonly dns: StubResolver;
  private silent: DnsAnswer | undefined;

  /**
   * @param servers `ip` or `ip:port`, asked in this order; empty: the resolvers of this machine
   * @param scope `everything` for a resolver; `zone` for an authoritative server, which cannot follow an alias that
   *   leads out of its zone
   */
  constructor(
    servers: readonly string[],
    private readonly scope: 'everything' | 'zone' = 'everything',
  ) {
    this.dns = new StubResolver({ servers, timeoutMs: TIMEOUT_MS });
  }

  texts(name: string): Promise<DnsAnswer> {
    return this.answer(() => this.dns.txt(name));
  }

  aliases(name: string): Promise<DnsAnswer> {
    return this.answer(() => this.dns.cname(name));
  }

  nameServers(name: string): Promise<DnsAnswer> {
    return this.answer(() => this.dns.ns(name));
  }

  /** The exchanges of the MX records; a null MX (RFC 7505) has none. */
  mx(name: string): Promise<DnsAnswer> {
    return this.answer(async () =>
      (await this.dns.mx(name)).map(({ exchange }) => canonicalName(exchange)).filter((exchange) => exchange !== ''),
    );
  }

  /** The names in the PTR records of an IP address. */
  names(address: string): Promise<DnsAnswer> {
    return this.answer(() => this.dns.ptr(address));
  }

  /** IPv4 first. */
  async addresses(host: string): Promise<string[]> {
    const answers = await Promise.all([
      this.answer(async () => (await this.dns.ipv4(host)).map(({ address }) => address)),
      this.answer(async () => (await this.dns.ipv6(host)).map(({ address }) => address)),
    ]);
    return answers.flatMap((found) => (found.kind === 'found' ? found.values : []));
  }

  /** Running queries end without an answer. */
  cancel(): void {
    this.silent = { kind: 'no_answer', reason: reasonOf('ECANCELLED') };
    this.dns.cancel();
  }

  private async answer(query: () => Promise<string[]>): Promise<DnsAnswer> {
    if (this.silent) return this.silent;
    try {
      const values = (await query()).slice(0, MAX_VALUES).map((value) => value.slice(0, MAX_VALUE_LENGTH));
      if (values.length > 0) return { kind: 'found', values };
      // c-ares returns an empty list for an alias (CNAME) whose target has no record of this type.
      return this.scope === 'everything' ? { kind: 'none' } : { kind: 'no_answer', reason: 'it is an alias' };
    } catch (error) {
      if (isAbsent(error)) return { kind: 'none' };
      const code = dnsErrorCode(error);
      const failure: DnsAnswer = { kind: 'no_answer', reason: reasonOf(code) };
      if (SILENCE.has(code)) this.silent = failure;
      return failure;
    }
  }
}

/** Reasons are shown beside a domain's records, where some errors have other texts than in a delivery outcome. */
const REASONS: Readonly<Record<string, string>> = {
  EREFUSED: 'the name server refused to answer',
  ECANCELLED: 'the check took too long',
};

const reasonOf = (code: string): string => REASONS[code] ?? dnsErrorText(code);
