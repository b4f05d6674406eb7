import { Args, ArgsType, Field, ID, Query, Resolver } from '@nestjs/graphql';
import type { Principal } from '#libs/accounts';
import { AccountHistory, LATEST } from '#libs/bus';
import { EVENT_TYPES, isId } from '#libs/contracts';
import { EventsController } from '../../rest/events/events.controller.js';
import { EventsQuery } from '../../rest/events/events.dto.js';
import { eventsPage } from '../../rest/events/events-page.js';
import { PageArgs, pageParameters, toConnection, type Connection } from '../connection.js';
import { givenParameters, queryDtoOf } from '../dto/input-type.js';
import { CallerOf } from '../graphql-caller.js';
import { DateTime } from '../scalars.js';
import { EventConnection, EventType, toEvent } from './event.type.js';

@ArgsType()
class EventsArgs {
  @Field(() => [String], { nullable: true, description: `Only events of these types: ${EVENT_TYPES.join(', ')}` })
  types?: string[] | null;

  @Field(() => ID, { nullable: true, description: 'Only events of this e-mail' })
  emailId?: string | null;

  @Field(() => ID, { nullable: true, description: 'Only events of this domain and its e-mails' })
  domainId?: string | null;

  @Field(() => String, { nullable: true, description: 'Only events about this recipient' })
  recipient?: string | null;

  @Field(() => DateTime, { nullable: true, description: 'Only events that happened at or after this time' })
  createdAfter?: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'Only events that happened before this time. Those that reached the event log more than an hour after it are not found',
  })
  createdBefore?: Date | null;
}

/** Reads the event log of the account. */
@Resolver(() => EventType)
export class EventsResolver {
  constructor(private readonly history: AccountHistory) {}

  @Query(() => EventConnection, {
    description:
      'All events, **oldest first**, unlike other lists: `after` with the last event seen returns the newer ones; `last` alone returns the newest. With a ' +
      'selective filter a page may be short or empty although `hasNextPage` is true: continue with `endCursor`.',
  })
  async events(
    @CallerOf(EventsController, 'list') caller: Principal,
    @Args() page: PageArgs,
    @Args() { types, emailId, domainId, recipient, createdAfter, createdBefore }: EventsArgs,
  ): Promise<Connection<EventType>> {
    const query = queryDtoOf(EventsQuery, {
      ...pageParameters(page, { fromEnd: LATEST }),
      ...givenParameters({
        type: types?.join(','),
        email_id: emailId,
        domain_id: domainId,
        recipient,
        created_after: createdAfter?.toISOString(),
        created_before: createdBefore?.toISOString(),
      }),
    });
    const events = await eventsPage(this.history, caller, query);
    return toConnection({ ...events, data: events.data.map(toEvent) }, page);
  }

  @Query(() => EventType, { nullable: true, description: 'One event. Null if the account has no such event.' })
  async event(
    @CallerOf(EventsController, 'get') caller: Principal,
    @Args('id', { type: () => ID, description: 'The id of the event' }) id: string,
  ): Promise<EventType | null> {
    const found = isId('evt', id) ? await this.history.find(caller, id) : null;
    return found && toEvent(found);
  }
}
