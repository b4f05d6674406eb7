import { visibleDomains, type Visibility } from '#libs/contracts';
import type { ResolvedFilter } from './email-filter.js';
import { searchKey } from '../../intake/recipients.js';
import type { StatementParameters } from './id-scan.js';
import { SEARCH_TEXT } from './search-segments.js';

/**
 * The whole filter as conditions on row `e` of `emails` (`where`) and on the row of the page (`having`). The part of
 * the filter that the leading scan answers is checked again, because a scan by a hash or by the time in an id is not
 * exact.
 */
export function filterConditions(
  filter: ResolvedFilter,
  parameters: StatementParameters,
): { where: string; having: string } {
  const and = visibilityConditions(filter.visibility, parameters);
  const equal: [column: string, value: string | undefined][] = [
    ['e.last_event', filter.lastEvent],
    ['e.domain_id', filter.domainId],
    ['e.sender_address', filter.from],
  ];
  for (const [column, value] of equal) if (value !== undefined) and.push(`${column} = ${parameters.add(value)}`);
  and.push(...recipientConditions(filter, parameters));
  for (const [key, value] of Object.entries(filter.tags ?? {}))
    and.push(`e.tags ->> ${parameters.add(key)}::text = ${parameters.add(value)}`);
  if (filter.scheduled) and.push('e.scheduled_at IS NOT NULL');
  if (filter.subject !== undefined)
    and.push(`starts_with(lower(e.subject), lower(${parameters.add(filter.subject)}::text))`);
  if (filter.search !== undefined)
    and.push(`strpos(${SEARCH_TEXT}, lower(${parameters.add(filter.search)}::text)) > 0`);
  if (filter.createdAfter) and.push(`e.created_at >= ${parameters.add(filter.createdAfter)}`);
  if (filter.createdBefore) and.push(`e.created_at < ${parameters.add(filter.createdBefore)}`);
  return {
    where: and.map((condition) => ` AND ${condition}`).join(''),
    having: filter.status === undefined ? 'true' : `page.status = ${parameters.add(filter.status)}`,
  };
}

/** Scalar subqueries: the planner may turn EXISTS into a scan of all emails to that address for each row. */
function recipientConditions(filter: ResolvedFilter, parameters: StatementParameters): string[] {
  const { to, recipientDomain, waiting, visibility } = filter;
  const oneOf = (condition: string) =>
    `e.id = (SELECT email_id FROM recipients WHERE email_id = e.id AND ${condition} LIMIT 1)`;
  const conditions: string[] = [];
  if (to !== undefined)
    conditions.push(oneOf(`search_key = ${parameters.add(searchKey(visibility.accountId, to))}::bigint`));
  const both: string[] = [];
  if (recipientDomain !== undefined) both.push(`domain = ${parameters.add(recipientDomain)}`);
  if (waiting) both.push('(due_at IS NOT NULL OR claimed_by IS NOT NULL)');
  return both.length === 0 ? conditions : [...conditions, oneOf(both.join(' AND '))];
}

function visibilityConditions(visibility: Visibility, parameters: StatementParameters): string[] {
  const domainIds = visibleDomains(visibility);
  return [
    ...(domainIds === null ? [] : [`e.domain_id = ANY (${parameters.add(domainIds)}::text[])`]),
    ...(visibility.mode === 'test' ? [`e.mode = 'test'`] : []),
    ...(visibility.seesLoginMail === true ? [] : ['NOT e.is_login_mail']),
  ];
}
