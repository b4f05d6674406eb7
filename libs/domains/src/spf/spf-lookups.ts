import { isSpf, readSpf, type SpfTerm } from './spf-record.js';

/** RFC 7208 §4.6.4: receivers fail (permerror) beyond this many terms with DNS queries. */
export const SPF_LOOKUPS = 10;
const LOOKUP_TERMS = new Set(['include', 'a', 'mx', 'ptr', 'exists', 'redirect']);

/** The TXT records of a name; empty where DNS did not answer, too. */
type QueryTexts = (name: string) => Promise<readonly string[]>;

/**
 * The number of look-ups that a receiver needs for the record, including its includes and redirects. Counts at most one more
 * than allowed, so that a large record needs no more than ten queries here.
 */
export async function countSpfLookups(record: string, query: QueryTexts): Promise<number> {
  let count = 0;
  const pending = [record];
  for (let text = pending.shift(); text !== undefined && count <= SPF_LOOKUPS; text = pending.shift()) {
    const terms = readSpf(text);
    if ('problem' in terms) continue;
    for (const term of terms.filter((t) => LOOKUP_TERMS.has(t.name))) {
      count += 1;
      if (count > SPF_LOOKUPS) return count;
      if (isFollowed(term)) pending.push(...(await query(term.argument.replace(/\.$/, ''))).filter(isSpf).slice(0, 1));
    }
  }
  return count;
}

/** The terms of a record with DNS queries, as they are written, except those for `ours`. */
export function lookupTerms(record: string, ours: string): string[] {
  const terms = readSpf(record);
  if ('problem' in terms) return [];
  const found = terms.filter(({ name, argument }) => LOOKUP_TERMS.has(name) && argument.replace(/\.$/, '') !== ours);
  return found.map(({ text }) => text);
}

/** Names with macros (RFC 7208 §7) depend on the mail, so they cannot be followed here. */
const isFollowed = ({ name, argument }: SpfTerm): boolean =>
  (name === 'include' || name === 'redirect') && !argument.includes('%');
