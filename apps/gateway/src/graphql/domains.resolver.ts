import { Args, ArgsType, Context, Field, ID, Query, Resolver, Subscription } from '@nestjs/graphql';
import { Refusal, type DomainStats } from '#libs/contracts';
import { SendingDomains } from '#libs/domains';
import { StatsStore } from '#libs/stats';
import { statsWindow } from '../stats-window.js';
import { DateTime } from './date-time.js';
import { DomainStatsFeeds } from './domain-stats-feeds.js';
import { DomainStatsType } from './domain-stats.type.js';
import { DomainType, presentDomain } from './domain.type.js';
import type { GraphqlCaller } from './graphql-caller.js';

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
    private readonly feeds: DomainStatsFeeds,
  ) {}

  @Query(() => [DomainType])
  async domains(@Context('caller') caller: GraphqlCaller): Promise<DomainType[]> {
    const { accountId } = caller.allowed('domains.read');
    return (await this.sendingDomains.list(accountId)).map(presentDomain);
  }

  @Query(() => DomainStatsType, { description: 'By default of the last 24 hours.' })
  async domainStats(
    @Args() { domainId, ...given }: DomainStatsArgs,
    @Context('caller') caller: GraphqlCaller,
  ): Promise<DomainStats> {
    const { accountId } = caller.allowed('stats.read');
    const window = statsWindow(given);
    await this.requireOwn(accountId, domainId);
    return this.stats.domainStats(accountId, domainId, window);
  }

  @Subscription(() => DomainStatsType, {
    name: 'domainStats',
    description: 'The last 24 hours: at once, then whenever a count changes.',
    resolve: (stats: DomainStats) => stats,
  })
  async domainStatsChanges(
    @Args('domainId', { type: () => ID }) domainId: string,
    @Context('caller') caller: GraphqlCaller,
  ): Promise<AsyncIterable<DomainStats>> {
    const { accountId } = caller.allowed('stats.read');
    await this.requireOwn(accountId, domainId);
    return this.feeds.open(accountId, domainId);
  }

  private async requireOwn(accountId: string, domainId: string): Promise<void> {
    if (!(await this.sendingDomains.find(accountId, domainId))) throw new Refusal('not_found');
  }
}
