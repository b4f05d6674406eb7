import type { DnsAnswer } from '#libs/dns';
import { SPF_LOOKUPS } from './spf-lookups.js';
import { includes, isAll } from './spf-rule.js';
import { isSpf, readSpf, type SpfTerm } from './spf-record.js';

type Reach = 'reached' | 'not_reached' | { unanswered: string };

/**
 * Whether receivers come to our include through others or through `redirect=` (RFC 7208 §5.2, §6.1): the records on the way let
 * it pass, and stand before `all`. Follows as many names as receivers look up. Names with macros depend on the mail, so they are
 * not followed.
 * @param texts every TXT record of the domain, strings joined
 */
export async function reachesInclude(
  texts: readonly string[],
  include: string,
  query: (name: string) => Promise<DnsAnswer>,
): Promise<Reach> {
  const pending = nextNames(texts, include);
  const seen = new Set<string>();
  let unanswered: string | null = null;
  while (pending.length > 0 && !pending.includes(include) && seen.size < SPF_LOOKUPS) {
    const next = pending.shift() ?? '';
    if (seen.has(next)) continue;
    seen.add(next);
    const answer = await query(next);
    if (answer.kind === 'no_answer') unanswered ??= answer.reason;
    if (answer.kind === 'found') pending.push(...nextNames(answer.values, include));
  }
  if (pending.includes(include)) return 'reached';
  return unanswered === null ? 'not_reached' : { unanswered };
}

/** The names to which a receiver of mail of ours goes on from these records. */
function nextNames(texts: readonly string[], include: string): string[] {
  const records = texts.filter(isSpf);
  const terms = records.length === 1 ? readSpf(records[0]) : [];
  if ('problem' in terms) return [];
  const end = terms.findIndex(isAll);
  const read = end === -1 ? terms : terms.slice(0, end);
  if (read.some((term) => includes(term, include))) return read.some((term) => isOurs(term, include)) ? [include] : [];
  const included = read.filter(
    ({ kind, name, qualifier }) => kind === 'mechanism' && name === 'include' && qualifier === '+',
  );
  // RFC 7208 §6.1: `redirect` counts only in a record without `all`.
  const redirected = end === -1 ? terms.filter(({ kind, name }) => kind === 'modifier' && name === 'redirect') : [];
  return [...included, ...redirected].map(hostOf).filter((host) => host !== '' && !host.includes('%'));
}

const isOurs = (term: SpfTerm, include: string): boolean => includes(term, include) && term.qualifier === '+';
const hostOf = ({ argument }: SpfTerm): string => argument.replace(/\.$/, '');
