import { Controller, Get, Param, Query } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import { AccountHistory } from '#libs/bus';
import { Caller } from '../../http/caller.js';
import { RequiresScope } from '../../http/route-access.js';
import { Operation } from '../../openapi/operation.js';
import { EventDto, EventList, EventsQuery, toEventResponse } from './events.dto.js';
import { eventsPage } from './events-page.js';
import { IdPipe, orNotFound } from '../or-not-found.js';
import { QueryPipe } from '../validation/query-pipe.js';

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
      'inserted before one that was already returned. `before=latest` returns the newest events. With a selective filter a page may be short or empty although ' +
      '`has_more` is true: continue with `next_cursor`.',
    response: EventList,
    errors: [400],
  })
  async list(@Caller() caller: Principal, @Query(QueryPipe) query: EventsQuery): Promise<EventList> {
    const page = await eventsPage(this.history, caller, query);
    return { ...page, data: page.data.map(toEventResponse) };
  }

  @Get(':id')
  @RequiresScope('emails.read')
  @Operation({ tag: 'Events', summary: 'Get an event', response: EventDto, errors: [404] })
  async get(@Caller() caller: Principal, @Param('id', new IdPipe({ id: 'evt' })) id: string): Promise<EventDto> {
    return toEventResponse(orNotFound(await this.history.find(caller, id)));
  }
}
