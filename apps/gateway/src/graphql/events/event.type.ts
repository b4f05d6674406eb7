import { Field, ID, ObjectType } from '@nestjs/graphql';
import type { LoggedEvent } from '#libs/contracts';
import { connectionType } from '../connection.js';
import { DateTime, Json } from '../scalars.js';

@ObjectType('Event', { description: 'An event of the account, as webhooks receive it.' })
export class EventType {
  @Field(() => ID, { description: 'The id of the event, the same as in the header `webhook-id` of a webhook' })
  id: string;

  @Field(() => String, { description: 'The type of the event, such as `email.delivered`' })
  type: string;

  @Field(() => DateTime, { description: 'When it happened' })
  createdAt: string;

  @Field(() => ID, { nullable: true, description: 'The e-mail concerned; null for events of domains and webhooks' })
  emailId: string | null;

  @Field(() => ID, { nullable: true, description: 'The sending domain concerned; null if there is none' })
  domainId: string | null;

  @Field(() => String, { nullable: true, description: 'The recipient concerned; null if there is none' })
  recipient: string | null;

  @Field(() => String, { description: 'The position in the event log. Positions of later events are higher' })
  position: string;

  @Field(() => Json, {
    description: 'The data of the event; its fields depend on the type. Events of test e-mails have `mode: "test"`',
  })
  data: object;
}

export const EventConnection = connectionType<EventType>('Event', EventType);

export function toEvent({ event, key, domainId, position }: LoggedEvent): EventType {
  const { id, type, created_at: createdAt, data } = event;
  const { recipient } = data as { recipient?: unknown };
  return {
    id,
    type,
    createdAt,
    emailId: key.startsWith('em_') ? key : null,
    domainId,
    recipient: typeof recipient === 'string' ? recipient : null,
    position: String(position),
    data,
  };
}
