import { AuditLog, type Principal } from '#libs/accounts';
import { assertDomainsVisible } from '#libs/contracts';
import { SuppressionEntries, suppressionTarget, type SuppressionTarget } from '#libs/suppressions';
import { SuppressionConnection, SuppressionFilter } from '../graphql/suppressions/suppression.type.js';
import { exampleId } from '../openapi/properties.js';
import { AccountDomains } from '../rest/domains/account-domains.js';
import { pageRequest } from '../rest/list.dto.js';
import { orNotFound } from '../rest/or-not-found.js';
import { removalOptions, removedOrRefused, toSuppression } from '../rest/suppressions/suppression-requests.js';
import {
  RemoveSuppressionQuery,
  SUPPRESSED_ADDRESS,
  SuppressDto,
  SuppressionDeletedDto,
  SuppressionDto,
  SuppressionPage,
  SuppressionQuery,
  SuppressionsQuery,
} from '../rest/suppressions/suppressions.dto.js';
import { operation, type OperationGroup } from './operation.js';

const tag = 'Suppressions';

const list = operation({
  tag,
  rest: 'GET /',
  graphql: {
    field: 'Query.suppressions',
    about: 'The suppressed addresses, newest first, without expired entries.',
    list: {
      connection: SuppressionConnection,
      filter: { type: SuppressionFilter, about: 'Only entries that match it' },
    },
  },
  scope: 'suppressions.read',
  states: true,
  summary: 'List suppressed addresses',
  description: 'Newest first, without expired entries unless `expired` is true. An entry must match all filters.',
  query: SuppressionsQuery,
  response: SuppressionPage,
  errors: [400],
  uses: [SuppressionEntries],
  run: ({ caller, query }, entries) => {
    const { origin, q, search, domain_id: domainId, expired } = query;
    const filter = { origin, q, search: search?.trim(), domainId, expired: expired === 'true' };
    return entries.page(caller, filter, pageRequest(query, 'sup'));
  },
});

const add = operation({
  tag,
  rest: 'POST /',
  graphql: null,
  scope: 'suppressions.write',
  summary: 'Suppress an address',
  description:
    'Emails to it are refused from now on, and queued emails to it are not delivered. An existing entry that lasts at ' +
    'least as long is returned unchanged with 200; a shorter one is replaced.',
  body: SuppressDto,
  examples: {
    account: { summary: 'For all emails', value: { email: SUPPRESSED_ADDRESS, reason: 'Asked us on the telephone' } },
    domain: {
      summary: 'For one domain, until a time',
      value: { email: SUPPRESSED_ADDRESS, domain_id: exampleId('dom'), expires_at: '2030-01-31T09:30:00Z' },
    },
  },
  response: SuppressionDto,
  status: 201,
  otherwise: { 200: 'The existing entry' },
  errors: [400],
  uses: [SuppressionEntries, AccountDomains],
  run: async ({ caller, body }, entries, domains) => {
    await domains.requireOwn(caller, [{ field: 'domain_id', id: body.domain_id }]);
    const [stored] = await entries.add(caller, [toSuppression(body)]);
    return stored;
  },
  respond: ({ entry, created }, reply) => {
    void reply.status(created ? 201 : 200);
    return entry;
  },
});

const find = operation({
  tag,
  rest: 'GET /:email',
  graphql: {
    field: 'Query.suppression',
    about: 'One suppressed address. Null if it is not on the list, or has expired.',
    arguments: {
      email: 'The address, or the id of the entry',
      domain_id: 'The entry of this sending domain; if absent, that of the whole account. Not needed with an id',
    },
    isNullable: true,
  },
  scope: 'suppressions.read',
  states: true,
  summary: 'Get a suppressed address',
  description: 'By address or by id. An expired entry is not found.',
  path: ['email'],
  query: SuppressionQuery,
  response: SuppressionDto,
  errors: [400, 404],
  uses: [SuppressionEntries],
  run: async ({ caller, email, query }, entries) => entries.find(caller, targetOf(caller, email, query.domain_id)),
});

const remove = operation({
  tag,
  rest: 'DELETE /:email',
  graphql: null,
  scope: 'suppressions.write',
  summary: 'Remove an address from the list',
  description:
    'By address or by id. Emails to it are accepted again. A complaint is kept (409) unless `force` is true, because ' +
    'sending to recipients who complained harms the reputation of the sender.',
  path: ['email'],
  query: RemoveSuppressionQuery,
  response: SuppressionDeletedDto,
  errors: [400, 404, 409],
  uses: [SuppressionEntries, AuditLog],
  run: async ({ caller, email, query }, entries, audit): Promise<SuppressionDeletedDto> => {
    const options = removalOptions(caller, audit, query.force === 'true');
    const [removal] = await entries.remove(caller, [targetOf(caller, email, query.domain_id)], options);
    const { id, email: address } = removedOrRefused(removal);
    return { object: 'suppression', id, email: address, deleted: true };
  },
});

/** The suppression list and its single entries. Bulk operations are in `suppressions-bulk.ts`. */
export const SUPPRESSIONS: OperationGroup = {
  name: 'Suppressions',
  path: 'suppressions',
  operations: { list, add, find, remove },
};

/**
 * @throws Refusal `restricted_api_key` for a domain that the key does not see, `not_found` for text that is neither an id nor
 * an address
 */
function targetOf(caller: Principal, written: string, domainId?: string): SuppressionTarget {
  if (domainId !== undefined) assertDomainsVisible(caller, [{ field: 'domain_id', id: domainId }]);
  return orNotFound(suppressionTarget(written, domainId));
}
