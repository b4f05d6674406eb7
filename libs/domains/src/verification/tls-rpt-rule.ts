import { missing, verified, wrong, type Judgement } from './judgement.js';
import { readTagList } from './tag-list.js';

/** Any valid policy for reports about TLS will do (RFC 8460 §3). @param texts every TXT record there, strings joined */
export function judgeTlsRpt(texts: readonly string[]): Judgement {
  const records = texts.filter((text) => text.startsWith('v=TLSRPTv1;'));
  if (records.length === 0) return missing('There is no such record yet. Add it if you want reports about encryption.');
  if (records.length > 1) return wrong(records, 'There is more than one TLS reporting record. Keep only one.');
  return /^(?:mailto|https):\S/.test(readTagList(records[0])?.get('rua') ?? '')
    ? verified(records)
    : wrong(records, 'The record does not say where reports go. Add rua=mailto:… or use this one.');
}
