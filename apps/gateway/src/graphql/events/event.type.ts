import { ArgsType, Field, ID, ObjectType } from '@nestjs/graphql';
import { busShapes } from '#libs/bus';
import { EVENT_TYPES, isId, type LoggedEvent } from '#libs/contracts';
import { connectionType } from '../connection.js';
import { givenParameters, type QueryParameters } from '../dto/input-type.js';
import { DateTime, Json } from '../scalars.js';

@ObjectType('Event', { description: busShapes.loggedEvent.about })
export class EventType {
  @Field(() => ID, { description: 'The same as in the header `webhook-id` of a webhook.' })
  id: string;
  @Field(() => String, { description: 'The type of the event, such as `email.delivered`.' })
  type: string;
  @Field(() => DateTime, { description: 'When it happened.' })
  createdAt: string;
  @Field(() => ID, { nullable: true, description: 'The email that it is about; null for other events.' })
  emailId: string | null;
  @Field(() => ID, { nullable: true, description: 'The sending domain that it belongs to; null without one.' })
  domainId: string | null;
  @Field(() => String, { nullable: true, description: 'The recipient that it is about; null for other events.' })
  recipient: string | null;
  @Field(() => String, { description: 'The position in the event log: a whole number that only increases.' })
  position: string;
  @Field(() => Json, { description: 'The data of the event; its fields depend on the type.' })
  data: unknown;
}

export const EventConnection = connectionType<EventType>('Event', EventType);

@ArgsType()
export class EventsArgs {
  @Field(() => [String], { nullable: true, description: `Only events of these types: ${EVENT_TYPES.join(', ')}` })
  types?: string[] | null;

  @Field(() => ID, { nullable: true, description: 'Only events of this email' })
  emailId?: string | null;

  @Field(() => ID, { nullable: true, description: 'Only events of this domain and its emails' })
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

/** The parameters of REST for the arguments of a list. */
export const eventsParameters = (args: EventsArgs): QueryParameters =>
  givenParameters({
    type: args.types?.join(','),
    email_id: args.emailId,
    domain_id: args.domainId,
    recipient: args.recipient,
    created_after: args.createdAfter?.toISOString(),
    created_before: args.createdBefore?.toISOString(),
  });

const shown = new WeakMap<LoggedEvent, EventType>();

/** Equal events give the same object, so that live streams serialise it once. */
export function toEvent(logged: LoggedEvent): EventType {
  let event = shown.get(logged);
  if (event === undefined) {
    const { id, type, created_at, data } = logged.event;
    const { recipient = null } = data as { recipient?: string };
    event = {
      id,
      type,
      createdAt: created_at,
      emailId: isId('em', logged.key) ? logged.key : null,
      domainId: logged.domainId,
      recipient,
      position: String(logged.position),
      data,
    };
    shown.set(logged, event);
  }
  return event;
}
