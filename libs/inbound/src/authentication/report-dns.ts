import type { DnsAnswer, UncachedResolver } from '#libs/dns';
import type { SpfDns } from '#libs/domains';

/** Of one message: SPF allows ten look-ups, of which each `mx` costs several questions. */
const MAX_QUESTIONS = 40;
const TOO_MANY: DnsAnswer = { kind: 'no_answer', reason: 'too many questions for one report' };

/** DNS for the authentication of one report, bounded in questions; the session of the resolver bounds the time. */
export class ReportDns implements SpfDns {
  private questions = 0;

  constructor(private readonly resolver: UncachedResolver) {}

  texts(name: string): Promise<DnsAnswer> {
    return this.ask(1, () => this.resolver.texts(name));
  }

  /** The hosts in the MX records. */
  mx(name: string): Promise<DnsAnswer> {
    return this.ask(1, () => this.resolver.mx(name));
  }

  /** The names in the PTR records of an IP address. */
  names(address: string): Promise<DnsAnswer> {
    return this.ask(1, () => this.resolver.names(address));
  }

  addresses(name: string): Promise<DnsAnswer> {
    return this.ask(2, async () => {
      const values = await this.resolver.addresses(name);
      return values.length > 0 ? { kind: 'found', values } : { kind: 'none' };
    });
  }

  private ask(cost: number, query: () => Promise<DnsAnswer>): Promise<DnsAnswer> {
    this.questions += cost;
    return this.questions > MAX_QUESTIONS ? Promise.resolve(TOO_MANY) : query();
  }
}
