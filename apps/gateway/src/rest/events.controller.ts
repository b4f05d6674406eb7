import { Controller, Get, Param, Query } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import { AccountHistory } from '#libs/bus';
import { Refusal } from '#libs/contracts';
import { Caller } from '../http/caller.js';
import { RequiresScope } from '../http/route-access.js';
import { Operation } from '../openapi/operation.js';
import { EventDto, EventList, EventsQuery, presentEvent } from './events.dto.js';
import { found } from './found.js';
import { IdPipe } from './id-pipe.js';
import { pageRequest } from './list.dto.js';
import { QueryPipe } from './query-pipe.js';
import { itemsOf } from './stats-rules.js';

/** The account's part of the event log (details §5). */
@Controller('events')
export class EventsController {
  constructor(private readonly history: AccountHistory) {}

  @Get()
  @RequiresScope('emails.read')
  @Operation({
    tag: 'Events',
    summary: 'List events',
    description:
      'Everything that happened, **oldest first**, unlike other lists: `after` the last event seen come the newer ones, so ' +
      'that a program can follow at its own pace. The order of the events of one e-mail is theirs; no event is inserted ' +
      'before one that was shown. A page may be short, or empty, and still say `has_more` when a filter leaves little of ' +
      'many events: go on with `next_cursor`.',
    answer: EventList,
    refuses: [400],
  })
  async list(@Caller() caller: Principal, @Query(QueryPipe) query: EventsQuery): Promise<EventList> {
    const request = pageRequest(query, 'evt');
    const page = await this.history.page(caller.accountId, request, {
      ...(query.type === undefined ? {} : { types: itemsOf(query.type) }),
      ...(query.email_id === undefined ? {} : { key: query.email_id }),
      ...(query.domain_id === undefined ? {} : { domainId: query.domain_id }),
    });
    if (page === null) throw unknownCursor(request.before === undefined ? 'after' : 'before');
    return { ...page, data: page.data.map(presentEvent) };
  }

  @Get(':id')
  @RequiresScope('emails.read')
  @Operation({ tag: 'Events', summary: 'Get an event', answer: EventDto, refuses: [404] })
  async get(@Caller() caller: Principal, @Param('id', new IdPipe({ id: 'evt' })) id: string): Promise<EventDto> {
    return presentEvent(found(await this.history.find(caller.accountId, id)));
  }
}

/** An empty page would let a program wait for ever behind an event that is not there. */
function unknownCursor(field: 'after' | 'before'): Refusal {
  const message = 'must be the id of an event of this account';
  return new Refusal(
    'validation_error',
    [{ field, code: 'invalid_cursor', message }],
    `The parameter ${field} ${message}.`,
  );
}
