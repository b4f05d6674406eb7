import { Field, ID, Int, ObjectType } from '@nestjs/graphql';
import type { DomainStats } from '#libs/contracts';
import { DateTime } from '../scalars.js';

@ObjectType('DomainStats', { description: 'Counts of recipients of one sending domain in the window [from, to).' })
export class DomainStatsType implements DomainStats {
  @Field(() => ID)
  domainId: string;
  @Field(() => DateTime)
  from: Date;
  @Field(() => DateTime)
  to: Date;
  @Field(() => Int)
  accepted: number;
  @Field(() => Int)
  sent: number;
  @Field(() => Int)
  delivered: number;
  @Field(() => Int)
  deferred: number;
  @Field(() => Int)
  bounced: number;
  @Field(() => Int)
  failed: number;
  @Field(() => Int)
  complained: number;
  @Field(() => Int)
  suppressed: number;
  @Field(() => Int)
  opened: number;
  @Field(() => Int)
  clicked: number;
}
