import { AccountDirectory, Accounts, type ChangedBy, type Principal } from '#libs/accounts';
import { Refusal } from '#libs/contracts';
import {
  ChangeOperatorAccountDto,
  OperatorAccountDto,
  OperatorAccountList,
  OperatorAccountsQuery,
} from '../rest/account/operator-account.dto.js';
import { pageRequest } from '../rest/list.dto.js';
import { operation, type OperationGroup } from './operation.js';

const tag = 'Operator';

const list = operation({
  tag,
  rest: 'GET /',
  graphql: null,
  scope: 'operator.accounts',
  wholeAccount: true,
  summary: 'List the accounts of the service',
  description:
    'Newest first. For keys of the first account with the scope `operator.accounts`. With a selective filter a page may be ' +
    'short or empty although `has_more` is true: continue with `next_cursor`.',
  query: OperatorAccountsQuery,
  response: OperatorAccountList,
  errors: [400],
  uses: [AccountDirectory],
  run: ({ query }, directory) => directory.list(pageRequest(query, 'acc'), query),
});

const get = operation({
  tag,
  rest: 'GET /:id',
  graphql: null,
  scope: 'operator.accounts',
  wholeAccount: true,
  summary: 'Get an account of the service',
  path: ['id'],
  response: OperatorAccountDto,
  errors: [404],
  uses: [AccountDirectory],
  run: ({ id }, directory) => directory.view(id),
});

const change = operation({
  tag,
  rest: 'PATCH /:id',
  graphql: null,
  scope: 'operator.accounts',
  wholeAccount: true,
  summary: 'Change the plan, the pool and the limits of an account',
  description:
    'Absent fields are not changed. A change takes effect within a second; the owner is told when the emails of the account ' +
    'leave from another source pool.',
  path: ['id'],
  body: ChangeOperatorAccountDto,
  examples: {
    pool: { summary: 'To the penalty pool', value: { pool: 'penalty' } },
    limits: { summary: 'Other limits', value: { plan: '50000', bounce_limit_percent: 15 } },
  },
  response: OperatorAccountDto,
  errors: [400, 404],
  uses: [Accounts, AccountDirectory],
  run: async ({ caller, id, body }, accounts, directory) => {
    if ((await directory.view(id)) === null) throw new Refusal('not_found', [], `There is no account ${id}.`);
    await accounts.changeAsOperator(id, body, changedBy(caller));
    return directory.view(id);
  },
});

const changedBy = ({ accountId, keyId, ip }: Principal): ChangedBy => ({
  accountId,
  userId: keyId,
  ...(ip === undefined ? {} : { ip }),
});

/** The accounts of the service, for the operator. */
export const OPERATOR_ACCOUNTS: OperationGroup = {
  name: 'OperatorAccounts',
  path: 'operator/accounts',
  operations: { list, get, change },
};
