import { account, sendingPause } from '#libs/accounts';
import { responseClass } from '../../openapi/definition-classes.js';
import { AccountDto, ChangeAccountDto } from '../../rest/account/account.dto.js';
import { inputType } from '../dto/input-type.js';
import { objectType } from '../dto/object-type.js';
import { Long } from '../scalars.js';

objectType(sendingPause.name, responseClass(sendingPause), {
  description: sendingPause.about,
  fields: { recipients: { type: Long }, hard_bounces: { type: Long }, complaints: { type: Long } },
});
export const AccountType = objectType(account.name, AccountDto, { description: account.about });
export const UpdateAccountInput = inputType('UpdateAccountInput', ChangeAccountDto, {
  description: 'Changes of the account. Absent fields are not changed.',
});
