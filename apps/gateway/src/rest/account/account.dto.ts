import { accountShapes } from '#libs/accounts';
import type { ChangesOf } from '#libs/contracts';
import { bodyClass, responseClass } from '../../openapi/definition-classes.js';

/** Body of `PATCH /account`. Absent fields are not changed. */
export class ChangeAccountDto extends bodyClass<ChangesOf<typeof accountShapes.account>>(
  accountShapes.account,
  'update',
) {}

export class AccountDto extends responseClass(accountShapes.account) {}
