import { Controller, Get, Query } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import { StatsStore } from '#libs/stats';
import { Caller } from '../../http/caller.js';
import { RequiresScope } from '../../http/route-access.js';
import { Operation } from '../../openapi/operation.js';
import { StrictQueryPipe } from '../validation/query-pipe.js';
import { metricsResponse } from './metrics-response.js';
import { StatsDto, StatsQuery } from './stats.dto.js';

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
      'Counts are exact numbers of recipients. `opened` and `clicked` include bots; the unique counts exclude them and have ' +
      'a standard error of 0.3% (small numbers are exact). `delivery_rate` and `bounce_rate` are relative to `sent`, the ' +
      'other rates to `delivered`. E-mails of test keys and of the sandbox are not counted. A response has at most 5,000 ' +
      'rows. Single events are kept for 90 days by default: `email_id`, `dimensions=email` and several groups at once need ' +
      'them, while everything else is kept for ever by quarter of an hour, hour and day. Unknown parameters are refused.',
    response: StatsDto,
    errors: [400],
  })
  metrics(@Caller() caller: Principal, @Query(StrictQueryPipe) given: StatsQuery): Promise<StatsDto> {
    return metricsResponse(this.stats, caller, given);
  }
}
