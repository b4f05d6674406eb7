import type { AccountHistory } from '#libs/bus';
import { assertDomainsVisible, type LoggedEvent, type Page, type Visibility } from '#libs/contracts';
import { invalidCursor, pageRequest } from '../list.dto.js';
import { itemsOf } from '../stats/stats-rules.js';
import type { EventsQuery } from './events.dto.js';

/**
 * One page of the event log for validated parameters.
 * @throws Refusal `restricted_api_key` for a domain that the key does not see, `validation_error` for an unknown cursor,
 * because a client that got an empty page instead would wait for ever after an event that does not exist
 */
export async function eventsPage(
  history: AccountHistory,
  visibility: Visibility,
  query: EventsQuery,
): Promise<Page<LoggedEvent>> {
  const request = pageRequest(query, 'evt');
  if (query.domain_id !== undefined) assertDomainsVisible(visibility, [{ field: 'domain_id', id: query.domain_id }]);
  const page = await history.page(visibility, request, {
    ...(query.type === undefined ? {} : { types: itemsOf(query.type) }),
    ...(query.email_id === undefined ? {} : { key: query.email_id }),
    ...(query.domain_id === undefined ? {} : { domainId: query.domain_id }),
  });
  if (page === null)
    throw invalidCursor(
      request.before === undefined ? 'after' : 'before',
      'must be the id of an event of this account',
    );
  return page;
}
