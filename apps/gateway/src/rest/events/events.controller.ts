import { Controller, Get, Param, Query } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import { AccountHistory } from '#libs/bus';
import { assertDomainsVisible, type PageRequest, type Refusal } from '#libs/contracts';
import { Caller } from '../../http/caller.js';
import { RequiresScope } from '../../http/route-access.js';
import { Operation } from '../../openapi/operation.js';
import { EventDto, EventList, EventsQuery, toEventResponse } from './events.dto.js';
import { invalidCursor, pageRequest } from '../list.dto.js';
import { IdPipe, orNotFound } from '../or-not-found.js';
import { QueryPipe } from '../validation/query-pipe.js';
import { itemsOf } from '../stats/stats-rules.js';

/** The events of the account, in the order of the event log. */
@Controller('events')
export class EventsController {
  constructor(private readonly history: AccountHistory) {}

  @Get()
  @RequiresScope('emails.read')
  @Operation({
    tag: 'Events',
    summary: 'List events',
    description:
      'All events, **oldest first**, unlike other lists: `after` with the last event seen returns the newer ones, so that ' +
      'a client can follow at its own pace. Events of one e-mail are in the order in which they happened, and no event is ' +
      'inserted before one that was already returned. With a selective filter a page may be short or empty although ' +
      '`has_more` is true: continue with `next_cursor`.',
    response: EventList,
    errors: [400],
  })
  async list(@Caller() caller: Principal, @Query(QueryPipe) query: EventsQuery): Promise<EventList> {
    const request = pageRequest(query, 'evt');
    if (query.domain_id !== undefined) assertDomainsVisible(caller, [{ field: 'domain_id', id: query.domain_id }]);
    const page = await this.history.page(caller, request, {
      ...(query.type === undefined ? {} : { types: itemsOf(query.type) }),
      ...(query.email_id === undefined ? {} : { key: query.email_id }),
      ...(query.domain_id === undefined ? {} : { domainId: query.domain_id }),
    });
    if (page === null) throw unknownCursor(request, this.history);
    return { ...page, data: page.data.map(toEventResponse) };
  }

  @Get(':id')
  @RequiresScope('emails.read')
  @Operation({ tag: 'Events', summary: 'Get an event', response: EventDto, errors: [404] })
  async get(@Caller() caller: Principal, @Param('id', new IdPipe({ id: 'evt' })) id: string): Promise<EventDto> {
    return toEventResponse(orNotFound(await this.history.find(caller, id)));
  }
}

/** Refused, because a client that got an empty page instead would wait for ever after an event that does not exist. */
function unknownCursor({ before, after }: PageRequest, history: AccountHistory): Refusal {
  const field = before === undefined ? 'after' : 'before';
  return history.isExpired(before ?? after ?? '')
    ? invalidCursor(field, 'names an event that is older than the event log keeps; start without it')
    : invalidCursor(field, 'must be the id of an event of this account');
}
