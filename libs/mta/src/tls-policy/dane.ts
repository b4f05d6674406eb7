import type { DnssecAnswer, DnssecClient } from './dnssec-client.js';
import { isUsable } from './tlsa.js';
import type { TlsaRecord } from './tlsa.js';

/** What DNSSEC says of one host of one domain. */
export type DaneFinding =
  /** Nothing that binds: no TLSA records, or a zone without signatures. */
  | { kind: 'none' }
  | { kind: 'usable'; records: readonly TlsaRecord[]; names: readonly string[] }
  /** There are TLSA records, but none that mail can be checked by: TLS is promised, nothing more. */
  | { kind: 'unusable'; records: readonly TlsaRecord[] }
  /** Not known now; whoever delivers all the same may be led astray. */
  | { kind: 'failed'; reason: string };

const NONE: DaneFinding = { kind: 'none' };

/** Looks for the TLSA records of MX hosts (RFC 7672 §2.2) with a resolver that validates. */
export class DaneLookup {
  constructor(
    private readonly dns: Pick<DnssecClient, 'ask'>,
    private readonly mxPort: number,
  ) {}

  /** `implicit`: the domain has no MX and is its own host. Never rejects. */
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
 * Where the TLSA records may be: at the name that aliases lead to, else at the MX name (RFC 7672 §2.2.2). None for hosts in
 * zones without signatures: asking for TLSA there breaks with some name servers, and would prove nothing.
 */
function baseNames(mxHost: string, answers: readonly DnssecAnswer[]): string[] | DaneFinding {
  const lost = answers.find((answer) => answer.kind === 'failed');
  if (lost?.kind === 'failed') return lost;
  const told = answers.filter((answer) => answer.kind === 'answer');
  // Absence in a zone with opt-out is often unsigned (RFC 5155 §6); what counts are the addresses that there are.
  const present = told.filter(({ values }) => values.length > 0);
  if (!(present.length > 0 ? present : told).every(({ secure }) => secure)) return [];
  const alias = told.find(({ alias: name }) => name !== null)?.alias ?? mxHost;
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
