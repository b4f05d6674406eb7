import { LATEST, type AccountHistory } from '#libs/bus';
import { assertDomainsVisible, type LoggedEvent, type Page, type PageRequest, type Visibility } from '#libs/contracts';
import { invalidCursor, pageRequest } from '../list.dto.js';
import { instantOf } from '../validation/query-rules.js';
import { requireOnlyOne } from '../validation/invalid-fields.js';
import { itemsOf } from '../stats/stats-rules.js';
import { addressForms } from './address-forms.js';
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
  const request = requestOf(query);
  if (query.domain_id !== undefined) assertDomainsVisible(visibility, [{ field: 'domain_id', id: query.domain_id }]);
  const page = await history.page(visibility, request, {
    ...(query.type === undefined ? {} : { types: itemsOf(query.type) }),
    ...(query.email_id === undefined ? {} : { key: query.email_id }),
    ...(query.domain_id === undefined ? {} : { domainId: query.domain_id }),
    ...(query.recipient === undefined ? {} : { recipients: addressForms(query.recipient) }),
    createdAfter: instantOf(query.created_after),
    createdBefore: instantOf(query.created_before),
  });
  if (page === null)
    throw invalidCursor(
      request.before === undefined ? 'after' : 'before',
      history.isExpired(request.before ?? request.after ?? '')
        ? 'names an event that is older than the event log keeps; start without it'
        : 'must be the id of an event of this account',
    );
  return page;
}

/** A page, which may end with the newest event. */
function requestOf(query: EventsQuery): PageRequest {
  const { after, before } = query;
  if (before !== LATEST) return pageRequest(query, 'evt');
  requireOnlyOne({ after, before });
  return { ...pageRequest({ ...query, before: undefined }, 'evt'), before };
}
