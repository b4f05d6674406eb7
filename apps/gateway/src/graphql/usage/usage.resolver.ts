import { Field, ObjectType, ResolveField, Resolver } from '@nestjs/graphql';
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
const COUNTS = ['accepted', 'delivered', 'bounced', 'failed', 'complained'] as const;

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
      metrics: COUNTS.join(','),
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
  const counts = (row ?? {}) as Partial<Record<(typeof COUNTS)[number], number | null>>;
  const [accepted, delivered, bounced, failed, complained] = COUNTS.map((name) => counts[name] ?? 0);
  return { month, accepted, delivered, bounced, failed, complained };
}
