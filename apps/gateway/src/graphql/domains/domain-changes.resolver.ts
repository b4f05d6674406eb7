import { Args, ID, Mutation, Resolver } from '@nestjs/graphql';
import type { Principal } from '#libs/accounts';
import { LIMITS } from '#libs/contracts';
import { DomainsController } from '../../rest/domains/domains.controller.js';
import type { ChangeDomainDto, CreateDomainDto, DomainDto } from '../../rest/domains/domains.dto.js';
import { DeletedType } from '../deleted.type.js';
import { dtoOf } from '../dto/input-type.js';
import { CallerOf } from '../graphql-caller.js';
import { CreateDomainInput, DomainType, UpdateDomainInput } from './domain.type.js';

const ID_OF_DOMAIN = { type: () => ID, description: 'The id of the domain' };

/** Changes of sending domains. */
@Resolver(() => DomainType)
export class DomainChangesResolver {
  constructor(private readonly rest: DomainsController) {}

  @Mutation(() => DomainType, {
    description:
      'Adds a domain. Publish its `records`: they are checked at once, then every minute for one hour and every five ' +
      `minutes for 72 hours. At most ${LIMITS.domainsPerAccount} per account.`,
  })
  createDomain(
    @CallerOf(DomainsController, 'add') caller: Principal,
    @Args('input', { type: () => CreateDomainInput, description: 'The domain' }) input: CreateDomainDto,
  ): Promise<DomainDto> {
    return this.rest.add(caller, dtoOf(CreateDomainInput, input));
  }

  @Mutation(() => DomainType, { description: 'Changes the settings of a domain.' })
  updateDomain(
    @CallerOf(DomainsController, 'change') caller: Principal,
    @Args('id', ID_OF_DOMAIN) id: string,
    @Args('input', { type: () => UpdateDomainInput, description: 'The changes' }) input: ChangeDomainDto,
  ): Promise<DomainDto> {
    return this.rest.change(caller, id, dtoOf(UpdateDomainInput, input));
  }

  @Mutation(() => DomainType, {
    description:
      'Starts a check of the DNS records; the result contains those of the previous check. At most one check per domain in ' +
      'ten seconds.',
  })
  verifyDomain(
    @CallerOf(DomainsController, 'verify') caller: Principal,
    @Args('id', ID_OF_DOMAIN) id: string,
  ): Promise<DomainDto> {
    return this.rest.verify(caller, id);
  }

  @Mutation(() => DeletedType, {
    description:
      'Removes the domain and its DKIM keys permanently. Its queued e-mails fail, and API keys restricted to it are disabled.',
  })
  deleteDomain(
    @CallerOf(DomainsController, 'remove') caller: Principal,
    @Args('id', ID_OF_DOMAIN) id: string,
  ): Promise<DeletedType> {
    return this.rest.remove(caller, id);
  }

  @Mutation(() => DomainType, {
    description:
      'Creates new DKIM keys and adds their records to `records`. After two checks have found them, e-mails are signed with ' +
      'the new keys; the old records must stay in DNS for seven days.',
  })
  rotateDomainKey(
    @CallerOf(DomainsController, 'rotate') caller: Principal,
    @Args('id', ID_OF_DOMAIN) id: string,
  ): Promise<DomainDto> {
    return this.rest.rotate(caller, id);
  }

  @Mutation(() => DomainType, {
    description: 'Cancels the rotation of the DKIM keys. Possible until e-mails are signed with the new keys.',
  })
  cancelDomainKeyRotation(
    @CallerOf(DomainsController, 'cancelRotation') caller: Principal,
    @Args('id', ID_OF_DOMAIN) id: string,
  ): Promise<DomainDto> {
    return this.rest.cancelRotation(caller, id);
  }
}
