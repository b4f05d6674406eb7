import { Controller, Get, Param, Query } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import { Refusal, STATS_COUNTERS, type StatsCounter } from '#libs/contracts';
import { SendingDomains, type DomainView } from '#libs/domains';
import { StatsStore } from '#libs/stats';
import { Caller } from '../http/caller.js';
import { RequiresScope } from '../http/route-access.js';
import { statsWindow } from '../stats-window.js';
import { Operation } from '../openapi/operation.js';
import { DomainStatsDto, StatsWindowQuery } from './domains.dto.js';
import { QueryPipe } from './query-pipe.js';
import { parseTimestamp } from '../timestamp.js';

@Controller('domains')
export class DomainsController {
  constructor(
    private readonly domains: SendingDomains,
    private readonly stats: StatsStore,
  ) {}

  /** A bare array, as the interface has it (D-9). */
  @Get()
  @RequiresScope('domains.read')
  list(@Caller() caller: Principal): Promise<DomainView[]> {
    return this.domains.list(caller.accountId);
  }

  @Get(':id/stats')
  @RequiresScope('stats.read')
  @Operation({
    tag: 'Statistics',
    summary: 'Counts of one domain',
    description: 'Counts of recipients, at most five seconds behind.',
    answer: DomainStatsDto,
    refuses: [400, 404],
  })
  async domainStats(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query(QueryPipe) query: StatsWindowQuery,
  ): Promise<DomainStatsDto> {
    const at = (text: string | undefined) => (text === undefined ? undefined : parseTimestamp(text));
    const { from, to } = statsWindow({ from: at(query.from), to: at(query.to) });
    const domain = await this.domains.find(caller.accountId, id);
    if (!domain) throw new Refusal('not_found');
    const stats = await this.stats.domainStats(caller.accountId, domain.id, { from, to });
    const counts = Object.fromEntries(STATS_COUNTERS.map((counter) => [counter, stats[counter]]));
    return {
      object: 'domain_stats',
      domain_id: domain.id,
      from: from.toISOString(),
      to: to.toISOString(),
      ...(counts as Record<StatsCounter, number>),
    };
  }
}
