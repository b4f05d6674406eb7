import { Field, Float, ObjectType, ResolveField, Resolver } from '@nestjs/graphql';
import type { Principal } from '#libs/accounts';
import { databaseClock } from '#libs/kernel';
import { StatsStore } from '#libs/stats';
import { StatsController } from '../../api/generated.js';
import { metricsResponse } from '../../rest/stats/metrics-response.js';
import { StatsQuery, type StatsRowDto } from '../../rest/stats/stats.dto.js';
import { queryDtoOf } from '../dto/input-type.js';
import { CallerOf } from '../graphql-caller.js';
import { Long } from '../scalars.js';
import { UsageType } from './usage.type.js';

const MONTHS = 12;
const COUNTS = ['accepted', 'delivered', 'bounced', 'failed', 'complained', 'settled', 'simulated'] as const;
const RATES = ['delivered_of_settled', 'bounced_of_settled', 'complained_of_settled'] as const;

@ObjectType('UsageMonth', { description: 'Recipients by outcome in a calendar month in UTC.' })
export class UsageMonthType {
  @Field(() => String, { description: 'The month, such as `2026-03`.' })
  month: string;
  @Field(() => Long, { description: 'Accepted recipients.' })
  accepted: number;
  @Field(() => Long, { description: 'Recipients whose server accepted the message.' })
  delivered: number;
  @Field(() => Long, { description: 'Bounced recipients.' })
  bounced: number;
  @Field(() => Long, { description: 'Failed recipients.' })
  failed: number;
  @Field(() => Long, { description: 'Recipients who reported the message as unwanted.' })
  complained: number;
  @Field(() => Long, { description: 'Recipients whose delivery has ended, without those of the simulator.' })
  settled: number;
  @Field(() => Long, { description: 'Recipients of the simulator whose delivery has ended.' })
  simulated: number;
  @Field(() => Float, { nullable: true, description: 'The delivery rate: the share of `settled` that was delivered.' })
  deliveredOfSettled: number | null;
  @Field(() => Float, { nullable: true, description: 'The bounce rate: the share of `settled` that bounced.' })
  bouncedOfSettled: number | null;
  @Field(() => Float, { nullable: true, description: 'The complaint rate: complaints per recipient of `settled`.' })
  complainedOfSettled: number | null;
}

@Resolver(() => UsageType)
export class UsageResolver {
  constructor(private readonly statistics: StatsStore) {}

  @ResolveField(() => [UsageMonthType], {
    description:
      `The last ${MONTHS} calendar months in UTC, oldest first, as \`stats\` counts them: without emails of test keys, and ` +
      'only those of the domains that the key sees. The last one is the current month.',
  })
  async months(@CallerOf(StatsController, 'metrics') caller: Principal): Promise<UsageMonthType[]> {
    const months = lastMonths(databaseClock.date());
    const query = queryDtoOf(StatsQuery, {
      start_date: `${months[0]}-01`,
      granularity: 'month',
      metrics: [...COUNTS, ...RATES].join(','),
    });
    const { data = [] } = await metricsResponse(this.statistics, caller, query);
    const byMonth = new Map(data.map((row) => [row.period?.slice(0, 7), row]));
    return months.map((month) => toUsageMonth(month, byMonth.get(month)));
  }
}

/** Oldest first, the current one last. */
function lastMonths(now: Date): string[] {
  const start = (ago: number) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago, 1));
  return Array.from({ length: MONTHS }, (_, i) =>
    start(MONTHS - 1 - i)
      .toISOString()
      .slice(0, 7),
  );
}

function toUsageMonth(month: string, row: StatsRowDto | undefined): UsageMonthType {
  const values = (row ?? {}) as Partial<Record<(typeof COUNTS | typeof RATES)[number], number | null>>;
  const [accepted, delivered, bounced, failed, complained, settled, simulated] = COUNTS.map(
    (name) => values[name] ?? 0,
  );
  const [deliveredOfSettled, bouncedOfSettled, complainedOfSettled] = RATES.map((name) => values[name] ?? null);
  const counts = { accepted, delivered, bounced, failed, complained, settled, simulated };
  return { month, ...counts, deliveredOfSettled, bouncedOfSettled, complainedOfSettled };
}
