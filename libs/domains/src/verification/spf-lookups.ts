import { isSpf, readSpf, type SpfTerm } from './spf-record.js';

/** RFC 7208 §4.6.4: receivers give up (permerror) beyond this many terms that ask DNS. */
export const SPF_LOOKUPS = 10;
const ASKING = new Set(['include', 'a', 'mx', 'ptr', 'exists', 'redirect']);

/** The TXT records at a name; empty also where DNS did not answer. */
type AskTexts = (name: string) => Promise<readonly string[]>;

/**
 * How many look-ups the record costs a receiver, its includes and redirects followed; at most one more than allowed,
 * so a record that names half the world costs us no more than ten questions.
 */
export async function countSpfLookups(record: string, ask: AskTexts): Promise<number> {
  let count = 0;
  const pending = [record];
  for (let text = pending.shift(); text !== undefined && count <= SPF_LOOKUPS; text = pending.shift()) {
    const terms = readSpf(text);
    if ('problem' in terms) continue;
    for (const term of terms.filter((t) => ASKING.has(t.name))) {
      count += 1;
      if (count > SPF_LOOKUPS) return count;
      if (leadsOn(term)) pending.push(...(await ask(term.argument.replace(/\.$/, ''))).filter(isSpf).slice(0, 1));
    }
  }
  return count;
}

/** The terms of a record that ask DNS, as they are written, but for those that lead to `ours`. */
export function askingTerms(record: string, ours: string): string[] {
  const terms = readSpf(record);
  if ('problem' in terms) return [];
  const asking = terms.filter(({ name, argument }) => ASKING.has(name) && argument.replace(/\.$/, '') !== ours);
  return asking.map(({ text }) => text);
}

/** Names with macros (RFC 7208 §7) depend on the mail and cannot be followed here. */
const leadsOn = ({ name, argument }: SpfTerm): boolean =>
  (name === 'include' || name === 'redirect') && !argument.includes('%');
