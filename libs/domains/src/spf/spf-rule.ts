import { verified, wrong, type Judgement } from '../verification/judgement.js';
import { isSpf, readSpf, readTerm, writtenTerms, type SpfTerm } from './spf-record.js';

/**
 * SPF of a sending domain: one valid record that includes ours before `all` (RFC 7208).
 * @param texts every TXT record of the domain, strings joined
 * @param include the host of our include
 */
export function judgeSpf(texts: readonly string[], include: string): Judgement {
  const records = texts.filter(isSpf);
  const value = mergeSpf(records, include);
  if (records.length === 0)
    return { verdict: 'missing', observed: [], error: 'There is no SPF record yet. Add this one.', value };
  const error = problemOf(records, include);
  return { ...(error === null ? verified(records) : wrong(records, error)), value };
}

function problemOf(records: string[], include: string): string | null {
  if (records.length > 1)
    return `There is more than one SPF record, which makes all of them invalid (RFC 7208 §4.5). Keep only this one.`;
  const terms = readSpf(records[0]);
  if ('problem' in terms) return `The SPF record is invalid: ${terms.problem}. Correct it, and add include:${include}.`;
  const ours = terms.filter((term) => includes(term, include));
  if (ours.length === 0) return `The SPF record does not contain include:${include}. Add it as shown.`;
  const all = terms.findIndex(isAll);
  if (all !== -1 && terms.indexOf(ours[0]) > all)
    return `include:${include} stands behind "${terms[all].text}", where nobody reads it. Move it as shown.`;
  if (ours[0].qualifier !== '+')
    return `"${ours[0].text}" does not let mail of the service pass. Write include:${include} without a qualifier.`;
  return null;
}

/**
 * The expected record: the present one (or the mechanisms of all) with our include before `all`; a new record where there is
 * none. A record that already includes ours stays as it is.
 */
function mergeSpf(records: readonly string[], include: string): string {
  if (records.length === 0) return `v=spf1 include:${include} ~all`;
  if (records.length === 1 && problemOf([...records], include) === null) return records[0];
  const ends: string[] = [];
  const kept = new Set<string>();
  for (const written of records.flatMap(writtenTerms)) {
    const term = readTerm(written);
    if (term !== null && includes(term, include)) continue;
    if (term !== null && (isAll(term) || isRedirect(term))) ends.push(written);
    else kept.add(written);
  }
  // Only one `all` or `redirect` can be kept. In one record, `redirect` together with `all` is ignored (RFC 7208 §6.1).
  return ['v=spf1', ...kept, `include:${include}`, ...ends.slice(0, 1)].join(' ');
}

export const isAll = (term: SpfTerm): boolean => term.kind === 'mechanism' && term.name === 'all';
const isRedirect = (term: SpfTerm): boolean => term.kind === 'modifier' && term.name === 'redirect';

export function includes(term: SpfTerm, host: string): boolean {
  return term.kind === 'mechanism' && term.name === 'include' && term.argument.replace(/\.$/, '') === host;
}
