import { Query, Resolver } from '@nestjs/graphql';
import type { Principal } from '#libs/accounts';
import { UsageController } from '../../rest/usage/usage.controller.js';
import { UsageDto } from '../../rest/usage/usage.dto.js';
import { objectType } from '../dto/object-type.js';
import { CallerOf } from '../graphql-caller.js';
import { Long } from '../scalars.js';

export const UsageType = objectType('Usage', UsageDto, {
  description: 'The monthly allowance of the account and its usage.',
  fields: { limit: { type: Long }, used: { type: Long }, remaining: { type: Long } },
});

@Resolver(() => UsageType)
export class UsageResolver {
  constructor(private readonly rest: UsageController) {}

  @Query(() => UsageType, {
    description:
      'The current, exact usage of the monthly allowance. For a key that is limited to domains, `used` has the units of ' +
      'these domains.',
  })
  usage(@CallerOf(UsageController, 'get') caller: Principal): Promise<UsageDto> {
    return this.rest.get(caller);
  }
}
