import { Controller, Get, Param, Query } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import { Refusal, STATS_COUNTERS, type StatsCounter } from '#libs/contracts';
import { SendingDomains, type DomainView } from '#libs/domains';
import { StatsStore } from '#libs/stats';
import { Caller } from '../http/caller.js';
import { RequiresScope } from '../http/route-access.js';
import { statsWindow } from '../stats-window.js';
import { QueryParameters } from './query-parameters.js';

/** Counts of recipients in [from, to) (details §4). */
type DomainStatsView = { object: 'domain_stats'; domain_id: string; from: string; to: string } & Record<
  StatsCounter,
  number
>;

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
  async domainStats(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: Record<string, unknown>,
  ): Promise<DomainStatsView> {
    const parameters = new QueryParameters(query);
    const given = { from: parameters.timestamp('from'), to: parameters.timestamp('to') };
    parameters.check();
    const { from, to } = statsWindow(given);
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
