import { Controller, Get, Query } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import { StatsStore, type MetricsRow } from '#libs/stats';
import { Caller } from '../../http/caller.js';
import { RequiresScope } from '../../http/route-access.js';
import { Operation } from '../../openapi/operation.js';
import { QueryPipe } from '../validation/query-pipe.js';
import { StatsDto, StatsQuery, type StatsRowDto } from './stats.dto.js';
import { toMetricsQuery } from './stats-query.js';

/** Statistics of the account, or of the domains of the key. */
@Controller('stats')
export class StatsController {
  constructor(private readonly stats: StatsStore) {}

  @Get()
  @RequiresScope('stats.read')
  @Operation({
    tag: 'Statistics',
    summary: 'Get counts, rates and delivery times',
    description:
      'Counts are exact numbers of recipients. `opened` and `clicked` include bots; the unique counts exclude them and are ' +
      'approximate. `delivery_rate` and `bounce_rate` are relative to `sent`, the other rates to `delivered`. E-mails of ' +
      'test keys and of the sandbox are not counted. A response has at most 5,000 rows.',
    response: StatsDto,
    errors: [400],
  })
  async metrics(@Caller() caller: Principal, @Query(QueryPipe) given: StatsQuery): Promise<StatsDto> {
    const request = toMetricsQuery(caller, given);
    const { totals, rows, approximate } = await this.stats.metrics(request);
    return {
      object: 'metrics',
      start_date: request.from.toISOString(),
      end_date: request.to.toISOString(),
      timezone: request.timezone,
      granularity: request.granularity,
      metrics: [...request.metrics],
      dimensions: [...request.dimensions],
      group_by: [...request.groupBy],
      totals,
      ...(rows === null ? {} : { data: rows.map(toRowResponse) }),
      approximate,
    };
  }
}

function toRowResponse({ values, ...place }: MetricsRow): StatsRowDto {
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
