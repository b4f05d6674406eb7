import { searchKey } from '../search-key.js';
import type { ResolvedFilter } from './email-filter.js';
import type { Parameters } from './parameters.js';

/**
 * The whole filter as a question to row `e` of `emails` (`where`), and to the row as it is shown (`having`). Also what the
 * leading stream has answered is asked again: a stream by a hash or by a time in an id is not exact.
 */
export function conditionsOf(
  filter: ResolvedFilter,
  accountId: string,
  parameters: Parameters,
): { where: string; having: string } {
  const and: string[] = [];
  const equal: [column: string, value: string | undefined][] = [
    ['e.last_event', filter.lastEvent],
    ['e.domain_id', filter.domainId],
    ['e.sender_address', filter.from],
  ];
  for (const [column, value] of equal) if (value !== undefined) and.push(`${column} = ${parameters.add(value)}`);
  if (filter.to !== undefined) {
    const key = parameters.add(searchKey(accountId, filter.to));
    // As a value, not as EXISTS, which a planner may turn into a walk over all mails to that address for each row.
    and.push(`e.id = (SELECT email_id FROM recipients WHERE search_key = ${key}::bigint AND email_id = e.id LIMIT 1)`);
  }
  for (const [key, value] of Object.entries(filter.tags ?? {}))
    and.push(`e.tags ->> ${parameters.add(key)}::text = ${parameters.add(value)}`);
  if (filter.scheduled) and.push('e.scheduled_at IS NOT NULL');
  if (filter.subject !== undefined)
    and.push(`starts_with(lower(e.subject), lower(${parameters.add(filter.subject)}::text))`);
  if (filter.createdAfter) and.push(`e.created_at >= ${parameters.add(filter.createdAfter)}`);
  if (filter.createdBefore) and.push(`e.created_at < ${parameters.add(filter.createdBefore)}`);
  return {
    where: and.map((condition) => ` AND ${condition}`).join(''),
    having: filter.status === undefined ? 'true' : `mail.status = ${parameters.add(filter.status)}`,
  };
}
