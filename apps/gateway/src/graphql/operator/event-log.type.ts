import { Field, Float, ID, Int, ObjectType } from '@nestjs/graphql';
import { busShapes, type ParkedEvent } from '#libs/bus';
import { responseClass } from '../../openapi/definition-classes.js';
import { connectionType } from '../connection.js';
import { objectType } from '../dto/object-type.js';
import { DateTime, Json, Long } from '../scalars.js';

@ObjectType('LogConsumer', { description: 'A reader of the event log.' })
class LogConsumerType {
  @Field(() => ID, { description: 'Its name.' })
  consumer: string;
  @Field(() => Long, {
    nullable: true,
    description: 'The position of the last event that it has handled; null for one whose position is in Kafka.',
  })
  position: number | null;
  @Field(() => Long, { nullable: true, description: 'Events that it has not handled yet; null without a position.' })
  lag: number | null;
  @Field(() => DateTime, { nullable: true, description: 'When it last moved its position.' })
  movedAt: Date | null;
  @Field(() => Int, { description: 'Events that it could not handle.' })
  parked: number;
}

@ObjectType('EventLogState', { description: 'How far events have got.' })
export class EventLogStateType {
  @Field(() => Long, { description: 'The position of the newest event.' })
  head: number;
  @Field(() => Int, { description: 'Events that are not in the log yet, counted up to 10,000.' })
  outbox: number;
  @Field(() => Float, { description: 'The age of the oldest of them.' })
  outboxSeconds: number;
  @Field(() => [LogConsumerType], { description: 'The readers of the log.' })
  consumers: LogConsumerType[];
}

export class ParkedEventDto extends responseClass(busShapes.parkedContent) {}
export const ParkedEventType = objectType(busShapes.parkedContent.name, ParkedEventDto, {
  description: busShapes.parkedContent.about,
  fields: { position: { type: Long }, content: { type: Json } },
});
export const ParkedEventConnection = connectionType<ParkedEvent>('ParkedEvent', ParkedEventType);
