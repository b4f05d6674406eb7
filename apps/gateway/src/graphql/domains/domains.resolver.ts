import { Args, ArgsType, Field, ID, Query, Resolver } from '@nestjs/graphql';
import type { Principal } from '#libs/accounts';
import { Refusal, type DomainStats, type Visibility } from '#libs/contracts';
import { SendingDomains } from '#libs/domains';
import { StatsStore } from '#libs/stats';
import { DomainsController } from '../../api/generated.js';
import type { DomainDto } from '../../rest/domains/domains.dto.js';
import { statsWindow } from '../../rest/stats/stats-query.js';
import { CallerOf } from '../graphql-caller.js';
import { DateTime } from '../scalars.js';
import { DomainStatsType } from './domain-stats.type.js';
import { DomainType } from './domain.type.js';

@ArgsType()
export class DomainStatsArgs {
  @Field(() => ID, { description: 'The id of the domain' })
  domainId: string;

  @Field(() => DateTime, { nullable: true, description: 'Start of the window; 24 hours before `to` if absent' })
  from?: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'End of the window, exclusive; now if absent' })
  to?: Date | null;
}

@Resolver(() => DomainType)
export class DomainsResolver {
  constructor(
    private readonly sendingDomains: SendingDomains,
    private readonly stats: StatsStore,
  ) {}

  @Query(() => [DomainType], { description: 'The sending domains of the account, newest first.' })
  domains(@CallerOf(DomainsController, 'list') caller: Principal): Promise<DomainDto[]> {
    return this.sendingDomains.list(caller);
  }

  @Query(() => DomainStatsType, {
    description: 'Counts of a domain in a time window, by default the last 24 hours.',
  })
  async domainStats(
    @CallerOf(DomainsController, 'domainStats') caller: Principal,
    @Args() { domainId, ...given }: DomainStatsArgs,
  ): Promise<DomainStats> {
    const window = statsWindow(given);
    await this.requireDomain(caller, domainId);
    return this.stats.domainStats(caller, domainId, window);
  }

  private async requireDomain(visibility: Visibility, domainId: string): Promise<void> {
    if (!(await this.sendingDomains.find(visibility, domainId))) throw new Refusal('not_found');
  }
}
