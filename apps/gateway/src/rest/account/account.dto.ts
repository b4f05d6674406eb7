import { account, type AccountChange } from '#libs/accounts';
import { bodyClass, responseClass } from '../../openapi/definition-classes.js';

/** Body of `PATCH /account`. Absent fields are not changed. */
export class ChangeAccountDto extends bodyClass<AccountChange>(account, 'update') {}

export class AccountDto extends responseClass(account) {}
