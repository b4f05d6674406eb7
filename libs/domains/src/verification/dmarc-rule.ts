import type { DnsAnswer } from '#libs/dns';
import { readTagList } from './dkim-rule.js';
import { missing, verified, wrong, type Judgement, type Outcome } from './judgement.js';

/** RFC 9989 §4.10: the maximal number of queries of a receiver. */
const QUERIES = 8;
const POLICIES = new Set(['none', 'quarantine', 'reject']);

/** The names at which receivers query the policy, from the domain up to its top level (RFC 9989 §4.10, "tree walk"). */
export function dmarcNames(domain: string): string[] {
  const labels = domain.split('.');
  const first = Math.max(1, labels.length - (QUERIES - 1));
  const parents = labels.slice(first).map((_, i) => labels.slice(first + i));
  return [labels, ...parents].map((name) => `_dmarc.${name.join('.')}`);
}

/** Accepts any valid policy that the tree walk finds, because receivers apply it. */
export async function walkDmarc(domain: string, query: (name: string) => Promise<DnsAnswer>): Promise<Outcome> {
  let judged: Judgement = missing('There is no DMARC record yet, neither here nor at a parent domain. Add this one.');
  let unanswered: string | null = null;
  for (const name of dmarcNames(domain)) {
    const answer = await query(name);
    if (answer.kind === 'no_answer') unanswered ??= answer.reason;
    if (answer.kind !== 'found') continue;
    const found = judgeDmarc(answer.values);
    if (found.verdict === 'verified') return found;
    if (found.verdict === 'wrong' && judged.verdict === 'missing') judged = found;
  }
  return unanswered === null ? judged : { verdict: 'unanswered', error: unanswered };
}

/** The records at one name. All other TXT records are ignored. */
function judgeDmarc(texts: readonly string[]): Judgement {
  const records = texts.filter((text) => /^\s*v\s*=\s*DMARC1\s*(?:;|$)/.test(text));
  if (records.length === 1) {
    const error = problemOf(records[0]);
    return error === null ? verified(records) : wrong(records, error);
  }
  if (records.length > 1)
    return wrong(records, 'There is more than one DMARC record, so receivers ignore them all. Keep only one.');
  const alike = texts.filter((text) => /dmarc/i.test(text));
  if (alike.length === 0) return missing('');
  return wrong(alike, 'A DMARC record must begin with v=DMARC1 in exactly this spelling. Correct it, or use this one.');
}

/** RFC 9989 §4.7: without a valid policy the record counts as p=none if it has a report address, else it is ignored. */
function problemOf(record: string): string | null {
  const tags = readTagList(record);
  if (tags === null) return 'The DMARC record is malformed. Correct it, or use this one.';
  if (POLICIES.has(tags.get('p')?.toLowerCase() ?? '')) return null;
  if (/^\s*(?:mailto|https):\S/i.test(tags.get('rua') ?? '')) return null;
  return 'The DMARC record has no valid policy. Add p=none, p=quarantine or p=reject.';
}
