import { missing, verified, wrong, type Judgement, type Outcome } from './judgement.js';
import { readTagList } from './tag-list.js';
import type { DnsAnswer } from './dns-server.js';

/** RFC 9989 §4.10: a receiver asks at most this often. */
const QUERIES = 8;
const POLICIES = new Set(['none', 'quarantine', 'reject']);

/** The names that receivers ask for a policy, from the domain up to its top level (RFC 9989 §4.10, "tree walk"). */
export function dmarcNames(domain: string): string[] {
  const labels = domain.split('.');
  const parents = labels.slice(1).map((_, i) => labels.slice(i + 1));
  return [labels, ...parents.slice(-(QUERIES - 1))].map((name) => `_dmarc.${name.join('.')}`);
}

/** Any valid policy that the walk finds will do: it is the one that receivers apply. */
export async function walkDmarc(domain: string, ask: (name: string) => Promise<DnsAnswer>): Promise<Outcome> {
  let judged: Judgement = missing('There is no DMARC record yet, neither here nor at a parent domain. Add this one.');
  let unanswered: string | null = null;
  for (const name of dmarcNames(domain)) {
    const answer = await ask(name);
    if (answer.kind === 'no_answer') unanswered ??= answer.reason;
    if (answer.kind !== 'found') continue;
    const found = judgeDmarc(answer.values);
    if (found.verdict === 'verified') return found;
    if (found.verdict === 'wrong' && judged.verdict === 'missing') judged = found;
  }
  return unanswered === null ? judged : { verdict: 'unanswered', error: unanswered };
}

/** The records at one name. Anything there that is no DMARC record counts as if it were not there. */
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

/** RFC 9989 §4.7: without a valid policy the record counts as p=none if it says where reports go, else not at all. */
function problemOf(record: string): string | null {
  const tags = readTagList(record);
  if (tags === null) return 'The DMARC record is malformed. Correct it, or use this one.';
  if (POLICIES.has(tags.get('p')?.toLowerCase() ?? '')) return null;
  if (/^\s*(?:mailto|https):\S/i.test(tags.get('rua') ?? '')) return null;
  return 'The DMARC record has no valid policy. Add p=none, p=quarantine or p=reject.';
}
