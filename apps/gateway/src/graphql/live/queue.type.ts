import { Field, Int, ObjectType } from '@nestjs/graphql';
import type { QueueView, Wait } from '#libs/queue';
import { QueueWait } from '../enums.js';
import { DateTime } from '../scalars.js';

@ObjectType('Queue', { description: 'Recipients at one domain that wait for the same thing.' })
export class QueueType {
  @Field(() => String, { description: 'The domain of the recipients.' })
  domain: string;
  @Field(() => String, { description: 'The mailbox provider, as in statistics: a known name, otherwise the domain.' })
  provider: string;
  @Field(() => Int, { description: 'The number of recipients.' })
  recipients: number;
  @Field(() => DateTime, {
    nullable: true,
    description: 'Due time of the oldest recipient that is due; null if none is.',
  })
  oldestDueAt: string | null;
  @Field(() => DateTime, {
    nullable: true,
    description: 'When the next recipient becomes due; null if all are due or being delivered.',
  })
  nextAttemptAt: string | null;
  @Field(() => QueueWait, { description: 'What the recipients wait for, as in the explanation of an e-mail.' })
  waitingFor: Wait;
  @Field(() => String, { description: 'A sentence for people, with the reply of the server that caused it.' })
  reason: string;
  @Field(() => Int, { nullable: true, description: 'The SMTP reply that caused it; null without one.' })
  code: number | null;
  @Field(() => String, {
    nullable: true,
    description: 'The server that sent the reply, or that could not be reached; null without one.',
  })
  host: string | null;
  @Field(() => DateTime, {
    description:
      'Since when the oldest recipient has waited: its acceptance, or its scheduled time once that has passed.',
  })
  since: string;
}

/** The REST response in camelCase. */
export const toQueue = ({ oldest_due_at, next_attempt_at, waiting_for, ...queue }: QueueView): QueueType => ({
  ...queue,
  oldestDueAt: oldest_due_at,
  nextAttemptAt: next_attempt_at,
  waitingFor: waiting_for,
});
