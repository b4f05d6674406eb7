import { accountShapes } from '#libs/accounts';
import { responseClass } from '../../openapi/definition-classes.js';
import { AccountDto, ChangeAccountDto } from '../../rest/account/account.dto.js';
import { inputType } from '../dto/input-type.js';
import { objectType } from '../dto/object-type.js';
import { Long } from '../scalars.js';

objectType(accountShapes.sendingPause.name, responseClass(accountShapes.sendingPause), {
  description: accountShapes.sendingPause.about,
  fields: { recipients: { type: Long }, hard_bounces: { type: Long }, complaints: { type: Long } },
});
export const AccountPenaltyType = objectType(
  accountShapes.accountPenalty.name,
  responseClass(accountShapes.accountPenalty),
  {
    description: accountShapes.accountPenalty.about,
    fields: {
      recipients: { type: Long },
      hard_bounces: { type: Long },
      complaints: { type: Long },
      blocks: { type: Long },
    },
  },
);
export const AccountType = objectType(accountShapes.account.name, AccountDto, {
  description: accountShapes.account.about,
});
export const UpdateAccountInput = inputType('UpdateAccountInput', ChangeAccountDto, {
  description: 'Changes of the account. Absent fields are not changed.',
});
