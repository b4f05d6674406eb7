import { accountShapes } from '#libs/accounts';
import { changeClass, responseClass } from '../../openapi/definition-classes.js';

/** Body of `PATCH /account`. Absent fields are not changed. */
export class ChangeAccountDto extends changeClass(accountShapes.account) {}

export class AccountDto extends responseClass(accountShapes.account) {}
