import type { DnssecAnswer, DnssecClient, TlsaRecord } from '#libs/dns';
import { isUsable } from './tlsa.js';

/** The result of DNSSEC for one host of one domain. */
export type DaneFinding =
  /** No TLSA records, or an unsigned zone. */
  | { kind: 'none' }
  | { kind: 'usable'; records: readonly TlsaRecord[]; names: readonly string[] }
  /** There are TLSA records, but none is usable for SMTP. TLS is required, without verification. */
  | { kind: 'unusable'; records: readonly TlsaRecord[] }
  /** Unknown at the moment. A delivery could go to a forged host. */
  | { kind: 'failed'; reason: string };

const NONE: DaneFinding = { kind: 'none' };

/** Looks up the TLSA records of MX hosts (RFC 7672 §2.2) with a validating resolver. */
export class DaneLookup {
  constructor(
    private readonly dns: Pick<DnssecClient, 'ask'>,
    private readonly mxPort: number,
  ) {}

  /** @param implicit The domain has no MX and is its own host. Never rejects. */
  async find(domain: string, mxHost: string, implicit: boolean): Promise<DaneFinding> {
    const mx = await this.dns.ask(domain, 'MX');
    if (mx.kind === 'failed') return mx;
    if (!mx.secure) return NONE;
    if (!implicit && !mx.values.includes(mxHost))
      return failed(`the MX ${mxHost} is not in the signed answer for ${domain}`);
    const addresses = await Promise.all([this.dns.ask(mxHost, 'A'), this.dns.ask(mxHost, 'AAAA')]);
    const bases = baseNames(mxHost, addresses);
    if (!Array.isArray(bases)) return bases;
    for (const base of bases) {
      const found = await this.dns.ask(`_${this.mxPort}._tcp.${base}`, 'TLSA');
      if (found.kind === 'failed') return found;
      if (found.secure && found.tlsa.length > 0) return toFinding(found.tlsa, [base, mxHost, domain]);
    }
    return NONE;
  }
}

/**
 * The names that may have TLSA records: the end of the aliases, else the MX name (RFC 7672 §2.2.2). None for hosts in
 * unsigned zones: some name servers fail on such queries, and the answer would prove nothing.
 */
function baseNames(mxHost: string, answers: readonly DnssecAnswer[]): string[] | DaneFinding {
  const failure = answers.find((answer) => answer.kind === 'failed');
  if (failure?.kind === 'failed') return failure;
  const answered = answers.filter((answer) => answer.kind === 'answer');
  // In a zone with opt-out the absence of records is often unsigned (RFC 5155 §6), so only existing addresses count.
  const present = answered.filter(({ values }) => values.length > 0);
  if (!(present.length > 0 ? present : answered).every(({ secure }) => secure)) return [];
  const alias = answered.find(({ alias: name }) => name !== null)?.alias ?? mxHost;
  return [...new Set([alias, mxHost])];
}

function toFinding(records: readonly TlsaRecord[], names: readonly string[]): DaneFinding {
  const usable = records.filter(isUsable);
  if (usable.length === 0) return { kind: 'unusable', records };
  return { kind: 'usable', records: usable, names: [...new Set(names)] };
}

function failed(reason: string): DaneFinding {
  return { kind: 'failed', reason };
}
