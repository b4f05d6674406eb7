import { Field, ID, ObjectType } from '@nestjs/graphql';
import { isId, type LoggedEvent } from '#libs/contracts';
import { connectionType } from '../connection.js';
import { DateTime, Json } from '../scalars.js';

@ObjectType('Event', { description: 'An event of the account, as webhooks receive it.' })
export class EventType {
  @Field(() => ID, { description: 'The same as in the header `webhook-id` of a webhook.' })
  id: string;
  @Field(() => String, { description: 'The type of the event, such as `email.delivered`.' })
  type: string;
  @Field(() => DateTime, { description: 'When it happened.' })
  createdAt: string;
  @Field(() => ID, { nullable: true, description: 'The e-mail that it is about; null for other events.' })
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
