import { Accounts } from '#libs/accounts';
import { UpdateAccountInput } from '../graphql/account/account.type.js';
import { AccountDto, ChangeAccountDto } from '../rest/account/account.dto.js';
import { operation, type OperationGroup } from './operation.js';

const tag = 'Account';

const get = operation({
  tag,
  rest: 'GET /',
  graphql: { field: 'Query.account', about: 'The account.' },
  scope: 'account.read',
  wholeAccount: true,
  summary: 'Get the account',
  response: AccountDto,
  uses: [Accounts],
  run: ({ caller }, accounts) => accounts.view(caller.accountId),
});

const change = operation({
  tag,
  rest: 'PATCH /',
  graphql: {
    field: 'Mutation.updateAccount',
    about: 'Changes the account. `notifyAddresses` replaces the whole list; an empty list sends no notices.',
    input: { type: UpdateAccountInput, about: 'The changes' },
  },
  scope: 'account.write',
  wholeAccount: true,
  summary: 'Change the account',
  description:
    'Absent fields are not changed. `notify_addresses` replaces the whole list; an empty list sends no notices.',
  body: ChangeAccountDto,
  examples: {
    name: { summary: 'Another name', value: { name: 'Example Ltd' } },
    notices: { summary: 'Addresses for notices', value: { notify_addresses: ['ops@example.com'] } },
  },
  response: AccountDto,
  errors: [400],
  uses: [Accounts],
  run: ({ caller: { accountId, keyId: actor, ip }, body }, accounts) => accounts.change(accountId, body, { actor, ip }),
});

/** The account of the caller. */
export const ACCOUNT: OperationGroup = { name: 'Account', path: 'account', operations: { get, change } };
