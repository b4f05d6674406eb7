import type { DnsAnswer, SpfDns } from '#libs/domains';
import type { Config } from '#libs/kernel';
import { dnsFault, Resolver, type MxHost, type NameAnswer } from '#libs/mta';
import { getServers } from 'node:dns';

/** c-ares asks twice and waits longer the second time. */
const TIMEOUT_MS = 1_500;

type Silence = Extract<DnsAnswer, { kind: 'no_answer' }>;

/**
 * `values`: the exchanges, the most wanted first. `first`: those that mail goes to while one of them answers (RFC 5321
 * §5.1).
 */
export type ExchangeAnswer =
  Exclude<DnsAnswer, { kind: 'found' }> | { kind: 'found'; values: string[]; first: string[] };

/** DNS as delivery asks it (DNS_SERVERS, else the system's), with answers of one shape. */
export class DnsDesk implements SpfDns {
  /** `ip` or `ip:port`. */
  readonly servers: readonly string[];
  readonly resolver: Resolver;

  constructor({ settings: { DNS_SERVERS = [] } }: Config) {
    this.servers = DNS_SERVERS.length > 0 ? DNS_SERVERS : getServers();
    this.resolver = new Resolver({ servers: [...DNS_SERVERS], timeoutMs: TIMEOUT_MS });
  }

  async texts(name: string): Promise<DnsAnswer> {
    try {
      return answerOf(await this.resolver.texts(name));
    } catch (error) {
      const { code = 'EUNKNOWN' } = error as NodeJS.ErrnoException;
      return this.silence(`TXT question for ${name}: ${dnsFault(code)}`);
    }
  }

  /** IPv4 first. */
  async addresses(name: string): Promise<DnsAnswer> {
    const answer = await this.resolver.addresses(name);
    if (answer.kind === 'temporary') return this.silence(answer.text);
    return answerOf(answer.kind === 'addresses' ? answer.addresses : []);
  }

  async mx(name: string): Promise<ExchangeAnswer> {
    const answer = await this.resolver.mx(name);
    if (answer.kind === 'temporary') return this.silence(answer.text);
    return exchangesOf(answer.kind === 'hosts' ? answer.hosts : []);
  }

  /** The names that the PTR records of an address have. */
  async names(address: string): Promise<DnsAnswer> {
    return this.answerOfNames(await this.resolver.names(address));
  }

  /** Where the CNAME record of a name leads. */
  async aliases(name: string): Promise<DnsAnswer> {
    return this.answerOfNames(await this.resolver.aliases(name));
  }

  private answerOfNames(answer: NameAnswer): DnsAnswer {
    if (answer.kind === 'temporary') return this.silence(answer.text);
    return answerOf(answer.kind === 'names' ? answer.names : []);
  }

  /** Ends what is being asked. */
  close(): void {
    this.resolver.cancel();
  }

  /** While nobody answers at all, that is the reason, whatever became of one question. */
  private silence(reason: string): Silence {
    return { kind: 'no_answer', reason: (this.resolver.outage ?? reason).replace(/\.$/, '') };
  }
}

const answerOf = (values: string[]): DnsAnswer => (values.length === 0 ? { kind: 'none' } : { kind: 'found', values });

function exchangesOf(hosts: readonly MxHost[]): ExchangeAnswer {
  if (hosts.length === 0) return { kind: 'none' };
  const ordered = hosts.toSorted((a, b) => a.preference - b.preference);
  const first = ordered.filter(({ preference }) => preference === ordered[0].preference);
  return { kind: 'found', values: ordered.map(nameOf), first: first.map(nameOf) };
}

const nameOf = ({ exchange }: MxHost): string => exchange;
