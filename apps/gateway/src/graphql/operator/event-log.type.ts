import { Field, Float, ID, Int, ObjectType } from '@nestjs/graphql';
import type { ParkedContent, ParkedEvent } from '#libs/bus';
import { connectionType } from '../connection.js';
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

@ObjectType('ParkedEvent', { description: 'An event that a consumer could not handle.' })
export class ParkedEventType {
  @Field(() => ID, { description: 'The id of the entry.' })
  id: string;
  @Field(() => String, { description: 'The consumer.' })
  consumer: string;
  @Field(() => String, { description: '`log`, or `<topic>/<partition>` for a record of Kafka.' })
  source: string;
  @Field(() => Long, { description: 'The position in the log, or the offset.' })
  position: number;
  @Field(() => ID, { nullable: true, description: 'The event; null for a record that is not readable as one.' })
  eventId: string | null;
  @Field(() => String, { nullable: true, description: 'Its type.' })
  eventType: string | null;
  @Field(() => ID, { nullable: true, description: 'Its account.' })
  accountId: string | null;
  @Field(() => String, { description: 'Why it could not be handled.' })
  reason: string;
  @Field(() => Int, { description: 'How often it could not be handled.' })
  failures: number;
  @Field(() => Boolean, { description: 'Whether it is about to be handled again.' })
  replayRequested: boolean;
  @Field(() => DateTime, { description: 'When it was parked.' })
  parkedAt: string;
  @Field(() => DateTime, { description: 'When it failed last.' })
  failedAt: string;
  @Field(() => Json, { nullable: true, description: 'The event or the record; only of a single entry.' })
  content?: ParkedContent['content'];
}

export const ParkedEventConnection = connectionType<ParkedEventType>('ParkedEvent', ParkedEventType);

export function toParkedEvent(parked: ParkedEvent & Partial<ParkedContent>): ParkedEventType {
  const { id, consumer, source, position, reason, failures, content } = parked;
  return {
    ...{ id, consumer, source, position, reason, failures, content },
    eventId: parked.event_id,
    eventType: parked.event_type,
    accountId: parked.account_id,
    replayRequested: parked.replay_requested,
    parkedAt: parked.parked_at,
    failedAt: parked.failed_at,
  };
}
