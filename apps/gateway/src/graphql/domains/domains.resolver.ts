import { Args, ArgsType, Context, Field, ID, Query, Resolver } from '@nestjs/graphql';
import { Refusal, type DomainStats, type Visibility } from '#libs/contracts';
import { SendingDomains } from '#libs/domains';
import { StatsStore } from '#libs/stats';
import { statsWindow } from '../../rest/stats/stats-query.js';
import { DateTime } from '../scalars.js';
import { DomainStatsType } from './domain-stats.type.js';
import { DomainType, toDomain } from './domain.type.js';
import type { GraphqlCaller } from '../graphql-caller.js';

@ArgsType()
export class DomainStatsArgs {
  @Field(() => ID)
  domainId: string;
  @Field(() => DateTime, { nullable: true })
  from?: Date | null;
  @Field(() => DateTime, { nullable: true })
  to?: Date | null;
}

@Resolver(() => DomainType)
export class DomainsResolver {
  constructor(
    private readonly sendingDomains: SendingDomains,
    private readonly stats: StatsStore,
  ) {}

  @Query(() => [DomainType])
  async domains(@Context('caller') caller: GraphqlCaller): Promise<DomainType[]> {
    return (await this.sendingDomains.list(caller.allowed('domains.read'))).map(toDomain);
  }

  @Query(() => DomainStatsType, { description: 'Counts of a time window, by default the last 24 hours.' })
  async domainStats(
    @Args() { domainId, ...given }: DomainStatsArgs,
    @Context('caller') caller: GraphqlCaller,
  ): Promise<DomainStats> {
    const visibility = caller.allowed('stats.read');
    const window = statsWindow(given);
    await this.requireDomain(visibility, domainId);
    return this.stats.domainStats(visibility, domainId, window);
  }

  private async requireDomain(visibility: Visibility, domainId: string): Promise<void> {
    if (!(await this.sendingDomains.find(visibility, domainId))) throw new Refusal('not_found');
  }
}
