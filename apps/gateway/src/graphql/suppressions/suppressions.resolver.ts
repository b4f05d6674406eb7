import { Args, ID, Mutation, Query, Resolver } from '@nestjs/graphql';
import type { Principal } from '#libs/accounts';
import { SuppressionsBulkController } from '../../rest/suppressions/suppressions-bulk.controller.js';
import type { ReleaseAllDto, ReleasedAllDto, SuppressAllDto } from '../../rest/suppressions/suppressions-bulk.dto.js';
import { SuppressionsController } from '../../rest/suppressions/suppressions.controller.js';
import { SuppressionQuery, SuppressionsQuery, type SuppressionDto } from '../../rest/suppressions/suppressions.dto.js';
import { PageArgs, pageParameters, toConnection, type Connection } from '../connection.js';
import { dtoOf, givenParameters, queryDtoOf, restQuery } from '../dto/input-type.js';
import { CallerOf } from '../graphql-caller.js';
import { orNull } from '../or-null.js';
import {
  AddedSuppressionType,
  AddSuppressionsInput,
  RemovedSuppressionType,
  RemoveSuppressionsInput,
  SuppressionConnection,
  SuppressionFilter,
  SuppressionType,
  toAdded,
} from './suppression.type.js';

/** The suppression list. */
@Resolver(() => SuppressionType)
export class SuppressionsResolver {
  constructor(
    private readonly rest: SuppressionsController,
    private readonly bulk: SuppressionsBulkController,
  ) {}

  @Query(() => SuppressionConnection, {
    description: 'The suppressed addresses, newest first, without expired entries.',
  })
  async suppressions(
    @CallerOf(SuppressionsController, 'list') caller: Principal,
    @Args() page: PageArgs,
    @Args('filter', { type: () => SuppressionFilter, nullable: true, description: 'Only entries that match it' })
    filter?: object | null,
  ): Promise<Connection<SuppressionDto>> {
    const query = queryDtoOf(SuppressionsQuery, { ...restQuery(SuppressionFilter, filter), ...pageParameters(page) });
    return toConnection(await this.rest.list(caller, query), page);
  }

  @Query(() => SuppressionType, {
    nullable: true,
    description: 'One suppressed address. Null if it is not on the list, or has expired.',
  })
  async suppression(
    @CallerOf(SuppressionsController, 'find') caller: Principal,
    @Args('email', { type: () => String, description: 'The address, or the id of the entry' }) email: string,
    @Args('domainId', {
      type: () => ID,
      nullable: true,
      description: 'The entry of this sending domain; if absent, that of the whole account. Not needed with an id',
    })
    domainId?: string | null,
  ): Promise<SuppressionDto | null> {
    const query = queryDtoOf(SuppressionQuery, givenParameters({ domain_id: domainId }));
    return orNull(this.rest.find(caller, email, query));
  }

  @Mutation(() => [AddedSuppressionType], {
    description:
      'Suppresses up to 100 addresses: one result per address, in the same order. If one is invalid, none is stored. ' +
      'Existing entries are not changed.',
  })
  async addSuppressions(
    @CallerOf(SuppressionsBulkController, 'addAll') caller: Principal,
    @Args('input', { type: () => AddSuppressionsInput, description: 'The addresses' }) input: SuppressAllDto,
  ): Promise<AddedSuppressionType[]> {
    const { data } = await this.bulk.addAll(caller, dtoOf(AddSuppressionsInput, input));
    return data.map(toAdded);
  }

  @Mutation(() => [RemovedSuppressionType], {
    description:
      'Removes up to 100 addresses from the list: every entry that can be removed. One result per address, in the same order.',
  })
  async removeSuppressions(
    @CallerOf(SuppressionsBulkController, 'removeAll') caller: Principal,
    @Args('input', { type: () => RemoveSuppressionsInput, description: 'The addresses' }) input: ReleaseAllDto,
  ): Promise<RemovedSuppressionType[]> {
    const { data } = await this.bulk.removeAll(caller, dtoOf(RemoveSuppressionsInput, input));
    return data.map(toRemoved);
  }
}

function toRemoved(result: ReleasedAllDto['data'][number], index: number): RemovedSuppressionType {
  return result.object === 'error'
    ? { index, id: null, email: null, error: { code: result.error, message: result.message } }
    : { index, id: result.id, email: result.email, error: null };
}
