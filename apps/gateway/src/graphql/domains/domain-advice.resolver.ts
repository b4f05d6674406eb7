import { Context, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import type { Principal } from '#libs/accounts';
import { domainAdvice, domainShapes, ADVICE_TRAFFIC } from '#libs/domains';
import { databaseClock } from '#libs/kernel';
import { DomainsController } from '../../api/generated.js';
import { responseClass } from '../../openapi/definition-classes.js';
import type { DomainDto } from '../../rest/domains/domains.dto.js';
import { objectType } from '../dto/object-type.js';
import { CallerOf, type GraphqlContext } from '../graphql-caller.js';
import { DomainTrafficLoader } from './domain-traffic.js';
import { DomainType } from './domain.type.js';

const { advice, recordToPublish } = domainShapes;
class DomainAdviceDto extends responseClass(advice) {}
objectType(recordToPublish.name, responseClass(recordToPublish), { description: recordToPublish.about });
const DomainAdviceType = objectType(advice.name, DomainAdviceDto, { description: advice.about });

/** Advice about domains. The rules are in the library of domains. */
@Resolver(() => DomainType)
export class DomainAdviceResolver {
  constructor(private readonly traffic: DomainTrafficLoader) {}

  @ResolveField(() => [DomainAdviceType], {
    description:
      'What to do about the domain, the most urgent first: DNS records, DMARC policy, DKIM keys, and the bounce and ' +
      `complaint rates of the last ${ADVICE_TRAFFIC.days} days, from ${ADVICE_TRAFFIC.minimumRecipients} recipients on.`,
  })
  async advice(
    @CallerOf(DomainsController, 'domainStats') caller: Principal,
    @Parent() domain: DomainDto,
    @Context() context: GraphqlContext,
  ): Promise<DomainAdviceDto[]> {
    const traffic = await this.traffic.of(context, caller).byDomain.load(domain.id);
    return domainAdvice({ domain, traffic, now: databaseClock.date() });
  }
}
