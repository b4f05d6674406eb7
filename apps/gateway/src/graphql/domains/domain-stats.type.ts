import { Field, ID, Int, ObjectType } from '@nestjs/graphql';
import type { DomainStats } from '#libs/contracts';
import { DateTime } from '../scalars.js';

@ObjectType('DomainStats', { description: 'Counts of recipients of one sending domain in the window [from, to).' })
export class DomainStatsType implements DomainStats {
  @Field(() => ID, { description: 'The domain' })
  domainId: string;
  @Field(() => DateTime, { description: 'Start of the window' })
  from: Date;
  @Field(() => DateTime, { description: 'End of the window, exclusive' })
  to: Date;
  @Field(() => Int, { description: 'Recipients of accepted emails' })
  accepted: number;
  @Field(() => Int, { description: 'Recipients for whom a delivery attempt has ended' })
  sent: number;
  @Field(() => Int, { description: 'Recipients whose server accepted the message' })
  delivered: number;
  @Field(() => Int, { description: 'Attempts that ended with a temporary failure' })
  deferred: number;
  @Field(() => Int, { description: 'Recipients that were rejected permanently' })
  bounced: number;
  @Field(() => Int, { description: 'Recipients for whom delivery was abandoned' })
  failed: number;
  @Field(() => Int, { description: 'Recipients who reported the message as unwanted' })
  complained: number;
  @Field(() => Int, { description: 'Recipients that were on the suppression list' })
  suppressed: number;
  @Field(() => Int, { description: 'Opens, those of bots included' })
  opened: number;
  @Field(() => Int, { description: 'Clicks, those of bots included' })
  clicked: number;
}
