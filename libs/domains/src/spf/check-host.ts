import type { DnsAnswer } from '#libs/dns';
import ipaddr from 'ipaddr.js';
import { SPF_LOOKUPS } from './spf-lookups.js';
import { expandMacros, type MacroContext } from './spf-macro.js';
import { isSpf, readSpf, type SpfTerm } from './spf-record.js';

/** DNS queries of an evaluation. Names are in lower case; `mx` returns the exchanges. */
export interface SpfDns {
  texts(name: string): Promise<DnsAnswer>;
  addresses(name: string): Promise<DnsAnswer>;
  mx(name: string): Promise<DnsAnswer>;
}

export type SpfResult = 'none' | 'neutral' | 'pass' | 'fail' | 'softfail' | 'temperror' | 'permerror';

export interface SpfEvaluation {
  result: SpfResult;
  /** The reason of `permerror` and `temperror`. */
  problem: string | null;
  /** Terms with DNS queries. Receivers fail beyond ten (RFC 7208 §4.6.4). */
  lookups: number;
  /** Answers without a record. Many receivers fail beyond two (RFC 7208 §4.6.4). */
  voids: number;
}

const QUALIFIERS: Readonly<Record<string, SpfResult>> = { '+': 'pass', '-': 'fail', '~': 'softfail', '?': 'neutral' };
/** Exchanges of one `mx` term (RFC 7208 §4.6.4). */
const EXCHANGES = 10;

/** The properties of a mail on which its SPF result depends. */
export interface SpfMail {
  /** IP address of the sending server. */
  address: string;
  /** Domain of the envelope sender. The local part is taken to be postmaster (RFC 7208 §4.3). */
  domain: string;
  /** The name in HELO or EHLO. */
  helo: string;
}

/**
 * Evaluates SPF as a receiver does (RFC 7208 §4). `ptr` and macros that need it (`%{p}`) should not be used (§5.5, §7.3):
 * such terms count as look-ups and match nothing. Never rejects.
 */
export async function checkHost({ address, domain, helo }: SpfMail, dns: SpfDns): Promise<SpfEvaluation> {
  const evaluator = new SpfEvaluator({ address: ipaddr.process(address), sender: `postmaster@${domain}`, helo }, dns);
  try {
    const result = await evaluator.check(domain);
    return { result, problem: null, lookups: evaluator.lookups, voids: evaluator.voids };
  } catch (error) {
    if (!(error instanceof SpfError)) throw error;
    return { result: error.result, problem: error.message, lookups: evaluator.lookups, voids: evaluator.voids };
  }
}

class SpfError extends Error {
  constructor(
    readonly result: 'temperror' | 'permerror',
    problem: string,
  ) {
    super(problem);
  }
}

class SpfEvaluator {
  lookups = 0;
  voids = 0;

  constructor(
    private readonly mail: Omit<MacroContext, 'domain'>,
    private readonly dns: SpfDns,
  ) {}

  async check(domain: string): Promise<SpfResult> {
    const terms = await this.termsOf(domain);
    if (terms === null) return 'none';
    for (const term of terms)
      if (term.kind === 'mechanism' && (await this.matches(term, domain))) return QUALIFIERS[term.qualifier];
    const redirect = terms.find(({ kind, name }) => kind === 'modifier' && name === 'redirect');
    if (redirect === undefined) return 'neutral';
    this.count();
    const host = this.hostOf(redirect, domain);
    if (host === null) return 'neutral';
    const result = await this.check(host);
    if (result === 'none') throw new SpfError('permerror', `redirect=${redirect.argument} has no SPF record`);
    return result;
  }

  private async termsOf(domain: string): Promise<SpfTerm[] | null> {
    const records = (await this.values(this.dns.texts(domain))).filter(isSpf);
    if (records.length === 0) return null;
    if (records.length > 1) throw new SpfError('permerror', `${domain} has more than one SPF record`);
    const terms = readSpf(records[0]);
    if ('problem' in terms) throw new SpfError('permerror', `the record of ${domain} is invalid: ${terms.problem}`);
    return terms;
  }

  private async matches(term: SpfTerm, domain: string): Promise<boolean> {
    switch (term.name) {
      case 'all':
        return true;
      case 'ip4':
      case 'ip6':
        return this.isWithin(...networkOf(term.argument));
      default:
        this.count();
        return this.matchesHost(term, this.hostOf(term, domain));
    }
  }

  /** Terms that refer to another host; null: an unknown one. */
  private async matchesHost(term: SpfTerm, host: string | null): Promise<boolean> {
    if (host === null) return false;
    if (term.name === 'include') return this.includes(term, host);
    if (term.name === 'exists') return (await this.values(this.dns.addresses(host))).length > 0;
    if (term.name === 'a') return this.resolvesToClient(host, term);
    if (term.name !== 'mx') return false;
    const exchanges = await this.values(this.dns.mx(host));
    if (exchanges.length > EXCHANGES) throw new SpfError('permerror', `${host} has more than ${EXCHANGES} MX records`);
    for (const exchange of exchanges) if (await this.resolvesToClient(exchange, term)) return true;
    return false;
  }

  private async includes({ argument }: SpfTerm, host: string): Promise<boolean> {
    const result = await this.check(host);
    if (result === 'none') throw new SpfError('permerror', `include:${argument} has no SPF record`);
    return result === 'pass';
  }

  private async resolvesToClient(host: string, { argument }: SpfTerm): Promise<boolean> {
    const [, v4 = '32', v6 = '128'] = PREFIXES.exec(argument) ?? [];
    const addresses = await this.values(this.dns.addresses(host));
    return addresses.some((found) => this.isWithin(found, Number(found.includes(':') ? v6 : v4)));
  }

  private isWithin(network: string, bits: number): boolean {
    const parsed = ipaddr.parse(network);
    const { address } = this.mail;
    return parsed.kind() === address.kind() && address.match([parsed, bits] as [ipaddr.IPv4, number]);
  }

  /** The host of a term; the domain itself where the term has none, null where it is unknown. */
  private hostOf({ text, argument }: SpfTerm, domain: string): string | null {
    // From the text as written, because macros are case-sensitive.
    const written = text
      .slice(text.length - argument.length)
      .replace(PREFIXES, '')
      .replace(/\.$/, '');
    try {
      return written === '' ? domain : expandMacros(written, { ...this.mail, domain });
    } catch (error) {
      throw new SpfError('permerror', (error as Error).message);
    }
  }

  private count(): void {
    this.lookups += 1;
    if (this.lookups > SPF_LOOKUPS) throw new SpfError('permerror', `it costs more than ${SPF_LOOKUPS} look-ups`);
  }

  private async values(query: Promise<DnsAnswer>): Promise<string[]> {
    const answer = await query;
    if (answer.kind === 'no_answer') throw new SpfError('temperror', answer.reason);
    if (answer.kind === 'found') return answer.values;
    this.voids += 1;
    return [];
  }
}

/** Prefix lengths of IPv4 and IPv6 at the end of a term (RFC 7208 §5.6). */
const PREFIXES = /(?:\/(\d+))?(?:\/\/(\d+))?$/;

function networkOf(argument: string): [network: string, bits: number] {
  const [network, bits] = argument.split('/');
  return [network, bits === undefined ? (network.includes(':') ? 128 : 32) : Number(bits)];
}
