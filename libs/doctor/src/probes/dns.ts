import { dnsErrorText, Resolver, type DnsAnswer, type MxHost, type NameAnswer } from '#libs/dns';
import type { SpfDns } from '#libs/domains';
import type { Config } from '#libs/kernel';

/** Of the first try; c-ares tries twice and waits longer the second time. */
const TIMEOUT_MS = 1_500;

type NoAnswer = Extract<DnsAnswer, { kind: 'no_answer' }>;

/**
 * `values`: the MX hosts in order of preference. `preferred`: those of the lowest preference value, which receive all mail
 * while one of them is reachable (RFC 5321 §5.1).
 */
export type MxAnswer = Exclude<DnsAnswer, { kind: 'found' }> | { kind: 'found'; values: string[]; preferred: string[] };

/** DNS through the name servers that delivery uses (DNS_SERVERS, else those of the system), with uniform answers. */
export class DoctorDns implements SpfDns {
  /** `ip` or `ip:port`. */
  readonly servers: readonly string[];
  readonly resolver: Resolver;

  constructor({ settings: { DNS_SERVERS = [] } }: Config) {
    this.resolver = new Resolver({ servers: [...DNS_SERVERS], timeoutMs: TIMEOUT_MS });
    this.servers = DNS_SERVERS.length > 0 ? DNS_SERVERS : this.resolver.servers;
  }

  /** TXT records. */
  async texts(name: string): Promise<DnsAnswer> {
    try {
      return toAnswer(await this.resolver.texts(name));
    } catch (error) {
      const { code = 'EUNKNOWN' } = error as NodeJS.ErrnoException;
      return this.noAnswer(`TXT query for ${name}: ${dnsErrorText(code)}`);
    }
  }

  /** IPv4 addresses come first. */
  async addresses(name: string): Promise<DnsAnswer> {
    const answer = await this.resolver.addresses(name);
    if (answer.kind === 'temporary') return this.noAnswer(answer.text);
    return toAnswer(answer.kind === 'addresses' ? answer.addresses : []);
  }

  async mx(name: string): Promise<MxAnswer> {
    const answer = await this.resolver.mx(name);
    if (answer.kind === 'temporary') return this.noAnswer(answer.text);
    return toMxAnswer(answer.kind === 'hosts' ? answer.hosts : []);
  }

  /** The names in the PTR records of an address. */
  async names(address: string): Promise<DnsAnswer> {
    return this.namesAnswer(await this.resolver.names(address));
  }

  /** The target of the CNAME record of a name. */
  async aliases(name: string): Promise<DnsAnswer> {
    return this.namesAnswer(await this.resolver.aliases(name));
  }

  /** Cancels pending queries. */
  close(): void {
    this.resolver.cancel();
  }

  private namesAnswer(answer: NameAnswer): DnsAnswer {
    if (answer.kind === 'temporary') return this.noAnswer(answer.text);
    return toAnswer(answer.kind === 'names' ? answer.names : []);
  }

  /** While no name server answers at all, that is the reason for every failed query. */
  private noAnswer(reason: string): NoAnswer {
    return { kind: 'no_answer', reason: (this.resolver.outage ?? reason).replace(/\.$/, '') };
  }
}

const toAnswer = (values: string[]): DnsAnswer => (values.length === 0 ? { kind: 'none' } : { kind: 'found', values });

function toMxAnswer(hosts: readonly MxHost[]): MxAnswer {
  if (hosts.length === 0) return { kind: 'none' };
  const ordered = hosts.toSorted((a, b) => a.preference - b.preference);
  const preferred = ordered.filter(({ preference }) => preference === ordered[0].preference);
  return { kind: 'found', values: ordered.map(nameOf), preferred: preferred.map(nameOf) };
}

const nameOf = ({ exchange }: MxHost): string => exchange;
