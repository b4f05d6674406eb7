import { Args, ID, Mutation, Query, Resolver } from '@nestjs/graphql';
import type { Principal } from '#libs/accounts';
import { ErasuresController } from '../../rest/erasures/erasures.controller.js';
import { ElsewhereDto, ErasureDto, ErasureReceiptDto, RequestErasureDto } from '../../rest/erasures/erasures.dto.js';
import { dtoOf, inputType } from '../dto/input-type.js';
import { objectType } from '../dto/object-type.js';
import { CallerOf } from '../graphql-caller.js';
import { orNull } from '../or-null.js';
import { Json } from '../scalars.js';

objectType('ErasureElsewhere', ElsewhereDto, { description: 'A place where an erased address may still be.' });
objectType('ErasureReceipt', ErasureReceiptDto, {
  description: 'What an erasure has done.',
  fields: { erased: { type: Json } },
});
const ErasureType = objectType('Erasure', ErasureDto, {
  description: 'The erasure of a recipient from all stores.',
});
const RequestErasureInput = inputType('RequestErasureInput', RequestErasureDto, {
  description: 'The recipient to erase.',
});

/** Erasure of recipients. */
@Resolver(() => ErasureType)
export class ErasuresResolver {
  constructor(private readonly rest: ErasuresController) {}

  @Query(() => ErasureType, {
    nullable: true,
    description: 'An erasure and its receipt. Null if the account has no such erasure.',
  })
  erasure(
    @CallerOf(ErasuresController, 'find') caller: Principal,
    @Args('id', { type: () => ID, description: 'The id of the erasure' }) id: string,
  ): Promise<ErasureDto | null> {
    return orNull(this.rest.find(caller, id));
  }

  @Mutation(() => ErasureType, {
    description:
      'Erases a recipient in the background: a keyed hash takes the place of the address in all stores, and the contents of ' +
      'messages to it are deleted. A call for an address whose erasure is not completed returns that erasure.',
  })
  requestErasure(
    @CallerOf(ErasuresController, 'request') caller: Principal,
    @Args('input', { type: () => RequestErasureInput, description: 'The recipient' }) input: RequestErasureDto,
  ): Promise<ErasureDto> {
    return this.rest.request(caller, dtoOf(RequestErasureInput, input));
  }
}
