import { Field, Float, ID, Int, ObjectType } from '@nestjs/graphql';
import type { HeldQueue, ProviderView, QueueView, SourceView, WarmUpView } from '#libs/queue';
import { DateTime, Long, stringEnum } from '../scalars.js';
import { QueueType } from '../queues/queue.type.js';

const ThrottleKind = stringEnum('ThrottleKind', ['slow_down', 'suspended', 'warm_up'], 'How a queue is held back.');
const SourceState = stringEnum(
  'SourceState',
  ['warm', 'warming_up', 'not_started'],
  'How far the warm-up of an address is.',
);

@ObjectType('ProviderQueue', { description: 'Recipients of all accounts at one mailbox provider that wait.' })
export class ProviderQueueType {
  @Field(() => String, { description: 'A known name, otherwise the domain.' })
  provider: string;
  @Field(() => Long, { description: 'The number of recipients.' })
  recipients: number;
  @Field(() => Int, { description: 'The number of accounts whose mail waits.' })
  accounts: number;
  @Field(() => DateTime, {
    nullable: true,
    description: 'Due time of the oldest recipient that is due; null if none is.',
  })
  oldestDueAt: string | null;
  @Field(() => DateTime, { nullable: true, description: 'When the next recipient becomes due; null if all are due.' })
  nextAttemptAt: string | null;
  @Field(() => DateTime, { description: 'Since when the oldest recipient has waited.' })
  since: string;
  @Field(() => [QueueType], { description: 'Reasons for waiting, those with the most recipients first; at most five.' })
  waits: QueueView[];
}

export const toProviderQueue = ({ oldest_due_at, next_attempt_at, ...provider }: ProviderView): ProviderQueueType => ({
  ...provider,
  oldestDueAt: oldest_due_at,
  nextAttemptAt: next_attempt_at,
});

@ObjectType('Throttle', { description: 'A queue that is held back, for one source address.' })
export class ThrottleType implements HeldQueue {
  @Field(() => ID, { description: 'A mailbox provider, or `domain:` with a domain.' })
  queue: string;
  @Field(() => String, { nullable: true, description: 'The source address; null: the system chooses it.' })
  source: string | null;
  @Field(() => ThrottleKind, { description: 'How it is held back.' })
  state: HeldQueue['state'];
  @Field(() => Float, { nullable: true, description: 'Of a slow-down: the share of the normal rate.' })
  factor: number | null;
  @Field(() => DateTime, { description: 'When the reply came that caused it.' })
  since: string;
  @Field(() => DateTime, { description: 'When it ends, unless it is repeated.' })
  until: string;
  @Field(() => String, { description: 'The id of the automation that caused it.' })
  rule: string;
  @Field(() => String, { nullable: true, description: 'The server that replied.' })
  mx: string | null;
  @Field(() => String, { nullable: true, description: 'The reply that caused it.' })
  words: string | null;
  @Field(() => String, {
    nullable: true,
    description:
      'The block list that has the source address, according to the reply; null if it is about something else.',
  })
  blockList: string | null;
  @Field(() => Int, { description: 'Recipients that wait for it, counted up to 10,000.' })
  waiting: number;
}

@ObjectType('ResumedQueue', { description: 'The result of resuming a queue.' })
export class ResumedQueueType {
  @Field(() => Int, { description: 'The number of restraints that ended.' })
  restraints: number;
  @Field(() => Long, { description: 'The number of recipients that became due.' })
  recipients: number;
}

@ObjectType('WarmUpDay', { description: 'The warm-up of a source address at one provider today (UTC).' })
class WarmUpDayType implements WarmUpView {
  @Field(() => String, { nullable: true, description: 'The provider; null for what every other provider may get.' })
  provider: string | null;
  @Field(() => Long, { nullable: true, description: 'Recipients of today; null once the address is warm there.' })
  allowance: number | null;
  @Field(() => Long, { description: 'Recipients that delivery processes have reserved today.' })
  used: number;
}

@ObjectType('SourceAddress', { description: 'An address that mail is sent from.' })
export class SourceAddressType implements SourceView {
  @Field(() => String, { description: 'The address.' })
  address: string;
  @Field(() => String, { description: 'The name in EHLO.' })
  heloName: string;
  @Field(() => [String], { description: 'The pools that it belongs to.' })
  pools: string[];
  @Field(() => SourceState, { description: 'How far its warm-up is.' })
  state: SourceView['state'];
  @Field(() => DateTime, { nullable: true, description: 'The first day of its warm-up; null without one.' })
  startedAt: Date | null;
  @Field(() => [WarmUpDayType], { description: 'Providers with an allowance of their own or with mail today.' })
  warmUp: WarmUpDayType[];
}
