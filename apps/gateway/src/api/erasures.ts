import { Erasures } from '#libs/erasure';
import { RequestErasureInput } from '../graphql/erasures/erasure.type.js';
import { ErasureDto, RequestErasureDto } from '../rest/erasures/erasures.dto.js';
import { operation, type OperationGroup } from './operation.js';

const tag = 'Erasures';

const request = operation({
  tag,
  rest: 'POST /',
  graphql: {
    field: 'Mutation.requestErasure',
    about:
      'Erases a recipient in the background: a keyed hash takes the place of the address in all stores, and the contents of ' +
      'messages to it are deleted. A call for an address whose erasure is not completed returns that erasure.',
    input: { type: RequestErasureInput, about: 'The recipient' },
  },
  scope: 'suppressions.write',
  wholeAccount: true,
  summary: 'Erase a recipient',
  description:
    'Runs in the background. A keyed hash takes the place of the address in messages, attempts, events, webhook deliveries, ' +
    'reports, suppressions and statistics; rows and ids remain. The contents and captured copies of messages to the address ' +
    'are deleted, and deliveries to it that have not started are canceled. A suppression goes on blocking the address. A ' +
    'request for an address whose erasure is not completed returns that erasure.',
  body: RequestErasureDto,
  examples: { address: { value: { email: 'user@example.net' } } },
  response: ErasureDto,
  status: 202,
  errors: [400],
  uses: [Erasures],
  run: ({ caller: { accountId, keyId: actor, ip }, body }, erasures) =>
    erasures.request(accountId, body.email, { actor, ip }),
});

const find = operation({
  tag,
  rest: 'GET /:id',
  graphql: {
    field: 'Query.erasure',
    about: 'An erasure and its receipt. Null if the account has no such erasure.',
    arguments: { id: 'The id of the erasure' },
    isNullable: true,
  },
  scope: 'suppressions.read',
  wholeAccount: true,
  summary: 'Get an erasure and its receipt',
  path: ['id'],
  response: ErasureDto,
  errors: [404],
  uses: [Erasures],
  run: ({ caller, id }, erasures) => erasures.find(caller.accountId, id),
});

/** Erasure of recipients of the caller's account. */
export const ERASURES: OperationGroup = { name: 'Erasures', path: 'erasures', operations: { request, find } };
