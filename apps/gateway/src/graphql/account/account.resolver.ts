import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import type { Principal } from '#libs/accounts';
import { AccountController } from '../../rest/account/account.controller.js';
import { AccountDto, ChangeAccountDto, SendingPauseDto } from '../../rest/account/account.dto.js';
import { dtoOf, inputType } from '../dto/input-type.js';
import { objectType } from '../dto/object-type.js';
import { CallerOf } from '../graphql-caller.js';
import { Long } from '../scalars.js';

objectType('SendingPause', SendingPauseDto, {
  description: 'Why the sending of an account is paused.',
  fields: { recipients: { type: Long }, hard_bounces: { type: Long }, complaints: { type: Long } },
});
export const AccountType = objectType('Account', AccountDto, { description: 'The account of the API key.' });
export const UpdateAccountInput = inputType('UpdateAccountInput', ChangeAccountDto, {
  description: 'Changes of the account. Absent fields are not changed.',
});

/** The account of the caller. */
@Resolver(() => AccountType)
export class AccountResolver {
  constructor(private readonly rest: AccountController) {}

  @Query(() => AccountType, { description: 'The account.' })
  account(@CallerOf(AccountController, 'get') caller: Principal): Promise<AccountDto> {
    return this.rest.get(caller);
  }

  @Mutation(() => AccountType, {
    description: 'Changes the account. `notifyAddresses` replaces the whole list; an empty list sends no notices.',
  })
  updateAccount(
    @CallerOf(AccountController, 'change') caller: Principal,
    @Args('input', { type: () => UpdateAccountInput, description: 'The changes' }) input: ChangeAccountDto,
  ): Promise<AccountDto> {
    return this.rest.change(caller, dtoOf(UpdateAccountInput, input));
  }
}
