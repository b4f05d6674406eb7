import { Controller, Get, Query } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import { StatsStore, type MetricsRow } from '#libs/stats';
import { Caller } from '../http/caller.js';
import { RequiresScope } from '../http/route-access.js';
import { Operation } from '../openapi/operation.js';
import { QueryPipe } from './query-pipe.js';
import { StatsDto, StatsQuery, type StatsRowDto } from './stats.dto.js';
import { metricsQuery } from './stats-query.js';

/** Statistics of the whole account (D-68). */
@Controller('stats')
export class StatsController {
  constructor(private readonly stats: StatsStore) {}

  @Get()
  @RequiresScope('stats.read')
  @Operation({
    tag: 'Statistics',
    summary: 'Get counts, rates and delivery times',
    description:
      'Counts are recipients and exact; opens and clicks of bots count in `opened` and `clicked` but not in the unique ' +
      'ones, which are approximate. `delivery_rate` and `bounce_rate` are shares of `sent`, the other rates of ' +
      '`delivered`. Mail of test keys and of the sandbox is left out. An answer has at most 5,000 rows.',
    answer: StatsDto,
    refuses: [400],
  })
  async metrics(@Caller() caller: Principal, @Query(QueryPipe) given: StatsQuery): Promise<StatsDto> {
    const question = metricsQuery(caller.accountId, given);
    const { totals, rows, approximate } = await this.stats.metrics(question);
    return {
      object: 'metrics',
      start_date: question.from.toISOString(),
      end_date: question.to.toISOString(),
      timezone: question.timezone,
      granularity: question.granularity,
      metrics: [...question.metrics],
      dimensions: [...question.dimensions],
      group_by: [...question.groupBy],
      totals,
      ...(rows === null ? {} : { data: rows.map(rowView) }),
      approximate,
    };
  }
}

function rowView({ values, ...place }: MetricsRow): StatsRowDto {
  const { period, domainId, emailId, provider, ip, bounceClass, tags } = place;
  return {
    ...(period === undefined ? {} : { period: period.toISOString() }),
    ...(domainId === undefined ? {} : { domain_id: domainId }),
    ...(emailId === undefined ? {} : { email_id: emailId }),
    ...(provider === undefined ? {} : { provider }),
    ...(ip === undefined ? {} : { ip }),
    ...(bounceClass === undefined ? {} : { bounce_class: bounceClass }),
    ...(tags === undefined ? {} : { tags }),
    ...values,
  };
}
