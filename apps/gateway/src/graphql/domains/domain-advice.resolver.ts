import { Context, Field, ObjectType, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import type { Principal } from '#libs/accounts';
import { ADVICE_DAYS, ADVICE_MINIMUM_RECIPIENTS, domainAdvice, type DomainAdvice } from '#libs/domains';
import { databaseClock } from '#libs/kernel';
import { DomainsController } from '../../api/generated.js';
import type { DomainDto } from '../../rest/domains/domains.dto.js';
import { AdvicePage, AdviceSeverity } from '../enums.js';
import { CallerOf, type GraphqlContext } from '../graphql-caller.js';
import { DomainTrafficLoader } from './domain-traffic.js';
import { DomainType } from './domain.type.js';

@ObjectType('DnsRecordToPublish', { description: 'A DNS record to publish or to change.' })
class DnsRecordToPublishType {
  @Field(() => String, { description: '`TXT` or `CNAME`' })
  type: string;

  @Field(() => String, { description: 'The name of the record' })
  name: string;

  @Field(() => String, { description: 'The value of the record' })
  value: string;
}

@ObjectType('DomainAdvice', { description: 'One thing to do about a sending domain.' })
class DomainAdviceType implements DomainAdvice {
  @Field(() => String, { description: 'The kind of the advice; docs/domains.md lists all' })
  code: string;

  @Field(() => AdviceSeverity, { description: 'How urgent it is' })
  severity: DomainAdvice['severity'];

  @Field(() => String, { description: 'The problem and its solution' })
  message: string;

  @Field(() => DnsRecordToPublishType, { nullable: true, description: 'The DNS record to publish; null: none' })
  publish: DnsRecordToPublishType | null;

  @Field(() => AdvicePage, { nullable: true, description: 'Where it is acted on; null: in DNS' })
  page: DomainAdvice['page'];
}

/** Advice about domains. The rules are in the library of domains. */
@Resolver(() => DomainType)
export class DomainAdviceResolver {
  constructor(private readonly traffic: DomainTrafficLoader) {}

  @ResolveField(() => [DomainAdviceType], {
    description:
      'What to do about the domain, the most urgent first: DNS records, DMARC policy, DKIM keys, and the bounce and ' +
      `complaint rates of the last ${ADVICE_DAYS} days, from ${ADVICE_MINIMUM_RECIPIENTS} recipients on.`,
  })
  async advice(
    @CallerOf(DomainsController, 'domainStats') caller: Principal,
    @Parent() domain: DomainDto,
    @Context() context: GraphqlContext,
  ): Promise<DomainAdvice[]> {
    const traffic = await this.traffic.of(context, caller).byDomain.load(domain.id);
    return domainAdvice({ domain, traffic, now: databaseClock.date() });
  }
}
