import { Field, ObjectType } from '@nestjs/graphql';
import { DateTime, Long } from '../scalars.js';
import type { AccountStats } from './live-statistics.js';

@ObjectType('AccountStats', {
  description: 'Counts of recipients of all sending domains that the key sees, in the window [from, to).',
})
export class AccountStatsType implements AccountStats {
  @Field(() => DateTime, { description: 'The start of the window, inclusive.' })
  from: Date;
  @Field(() => DateTime, { description: 'The end of the window, exclusive.' })
  to: Date;
  @Field(() => Long, { description: 'Accepted for delivery.' })
  accepted: number;
  @Field(() => Long, { description: 'Attempted at least once.' })
  sent: number;
  @Field(() => Long, { description: 'Accepted by the receiving server.' })
  delivered: number;
  @Field(() => Long, { description: 'Attempts that failed temporarily.' })
  deferred: number;
  @Field(() => Long, { description: 'Refused for good by the receiving server.' })
  bounced: number;
  @Field(() => Long, { description: 'Given up.' })
  failed: number;
  @Field(() => Long, { description: 'Reported as unwanted.' })
  complained: number;
  @Field(() => Long, { description: 'Not sent, because the address is on the suppression list.' })
  suppressed: number;
  @Field(() => Long, { description: 'Opens.' })
  opened: number;
  @Field(() => Long, { description: 'Clicks.' })
  clicked: number;
}
