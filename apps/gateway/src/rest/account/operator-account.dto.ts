import { accountShapes, type AccountStatus } from '#libs/accounts';
import type { ViewOf } from '#libs/contracts';
import { bodyClass, responseClass } from '../../openapi/definition-classes.js';
import { listOf, pageQueryOf } from '../list.dto.js';
import { QueryEnum, QueryText } from '../validation/query-fields.js';

/** Body of `PATCH /operator/accounts/:id`. Absent fields are not changed. */
export class ChangeOperatorAccountDto extends bodyClass<Partial<ViewOf<typeof accountShapes.operatorAccountChange>>>(
  accountShapes.operatorAccountChange,
  'create',
) {}

export class OperatorAccountDto extends responseClass(accountShapes.operatorAccount) {}

export class OperatorAccountsQuery extends pageQueryOf('acc') {
  @QueryText('Part of the name, without case, or the id of an account', 'Example')
  search?: string;

  @QueryEnum(accountShapes.account.fields.status.words, {
    description: 'Only accounts with this status',
    example: 'paused',
  })
  status?: AccountStatus;
}
export class OperatorAccountList extends listOf(OperatorAccountDto, 'acc') {}
