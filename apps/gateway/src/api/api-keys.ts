import { ApiKeys, type Principal } from '#libs/accounts';
import { DeletedType } from '../graphql/deleted.type.js';
import { CreateApiKeyInput, UpdateApiKeyInput } from '../graphql/api-keys/api-key.type.js';
import { OwnKeyAllowed } from '../http/route-access.js';
import { exampleId } from '../openapi/properties.js';
import {
  ApiKeyDeletedDto,
  ApiKeyDto,
  ApiKeyList,
  ApiKeyQuery,
  ChangeApiKeyDto,
  CreateApiKeyDto,
  CreatedApiKeyDto,
} from '../rest/api-keys/api-keys.dto.js';
import { AccountDomains } from '../rest/domains/account-domains.js';
import { pageRequest } from '../rest/list.dto.js';
import { operation, type OperationGroup } from './operation.js';

const tag = 'API keys';
const theKey = { id: 'The id of the API key' };
const WITHOUT_EXCESS = 'A key cannot grant rights that it does not have itself.';
const NO_ESCALATION = 'A key cannot grant rights that it does not have itself: such a request is answered 403.';
const WITHIN_OWN_RIGHTS =
  'A key with a scope, domain, network, lifetime or mode that the calling key does not have cannot be changed or deleted: 403.';

const NEW_KEYS = {
  full: { summary: 'All scopes', value: { name: 'web shop' } },
  sending: {
    summary: 'Sending from one domain',
    value: { name: 'newsletter', permission: 'sending_access', domain_ids: [exampleId('dom')] },
  },
  restricted: {
    summary: 'Chosen scopes, networks and lifetime',
    value: {
      name: 'statistics',
      scopes: ['emails.read', 'stats.read'],
      allowed_ips: ['192.0.2.0/24', '2001:db8::/32'],
      expires_at: '2030-01-31T09:30:00Z',
    },
  },
  test: { summary: 'A test key', value: { name: 'tests', mode: 'test' } },
};
const CHANGED_KEYS = {
  disable: { summary: 'Disable', value: { enabled: false } },
  scopes: { summary: 'Other scopes', value: { scopes: ['emails.send', 'emails.read'] } },
  unrestrict: { summary: 'No restrictions', value: { domain_ids: null, allowed_ips: null, expires_at: null } },
};
const create = operation({
  tag,
  rest: 'POST /',
  graphql: {
    field: 'Mutation.createApiKey',
    about: `Creates an API key. Its token is returned only once. ${WITHOUT_EXCESS}`,
    input: { type: CreateApiKeyInput, about: 'The key' },
  },
  scope: 'api_keys.write',
  summary: 'Create an API key',
  description: `The token is returned only once. ${NO_ESCALATION}`,
  body: CreateApiKeyDto,
  examples: NEW_KEYS,
  response: CreatedApiKeyDto,
  status: 201,
  errors: [400],
  uses: [ApiKeys, AccountDomains],
  run: async ({ caller, body }, keys, domains) => {
    await requireOwnDomains(domains, caller, body.domain_ids);
    return keys.create(caller.accountId, body, caller);
  },
});

const list = operation({
  tag,
  rest: 'GET /',
  // `Query.apiKeys` has all keys at once.
  graphql: null,
  scope: 'api_keys.read',
  summary: 'List API keys',
  description: 'Newest first, without deleted keys.',
  query: ApiKeyQuery,
  response: ApiKeyList,
  errors: [400],
  uses: [ApiKeys],
  run: ({ caller, query }, keys) => keys.list(caller.accountId, pageRequest(query, 'key')),
});

const find = operation({
  tag,
  rest: 'GET /:id',
  graphql: {
    field: 'Query.apiKey',
    about: 'One API key. Null if the account has no such key.',
    arguments: theKey,
    isNullable: true,
  },
  scope: 'api_keys.read',
  summary: 'Get an API key',
  path: ['id'],
  response: ApiKeyDto,
  errors: [404],
  uses: [ApiKeys],
  run: ({ caller, id }, keys) => keys.find(caller.accountId, id),
});

const change = operation({
  tag,
  rest: 'PATCH /:id',
  graphql: {
    field: 'Mutation.updateApiKey',
    about: `Changes an API key. Takes effect within one second, also for open connections. ${WITHOUT_EXCESS}`,
    arguments: theKey,
    input: { type: UpdateApiKeyInput, about: 'The changes' },
  },
  scope: 'api_keys.write',
  summary: 'Change an API key',
  description: `Takes effect within one second, also for open connections. ${NO_ESCALATION} ${WITHIN_OWN_RIGHTS}`,
  path: ['id'],
  body: ChangeApiKeyDto,
  examples: CHANGED_KEYS,
  response: ApiKeyDto,
  errors: [400, 404, 409],
  uses: [ApiKeys, AccountDomains],
  run: async ({ caller, id, body }, keys, domains) => {
    await requireOwnDomains(domains, caller, body.domain_ids);
    return keys.change(caller, id, body);
  },
});

const remove = operation({
  tag,
  rest: 'DELETE /:id',
  graphql: {
    field: 'Mutation.deleteApiKey',
    about:
      'Deletes an API key permanently, within one second also for open connections. Every key may delete itself, whatever ' +
      'its scopes.',
    arguments: theKey,
    type: DeletedType,
  },
  scope: 'api_keys.write',
  decorators: [OwnKeyAllowed()],
  summary: 'Delete an API key',
  description: `Permanent. Takes effect within one second, also for open connections. ${WITHIN_OWN_RIGHTS} Every key may delete itself, whatever its scopes.`,
  path: ['id'],
  response: ApiKeyDeletedDto,
  errors: [404],
  uses: [ApiKeys],
  run: async ({ caller, id }, keys): Promise<ApiKeyDeletedDto> => {
    await keys.remove(caller, id);
    return { object: 'api_key', id, deleted: true };
  },
});

/** API keys of the account. */
export const API_KEYS: OperationGroup = {
  name: 'ApiKeys',
  path: 'api-keys',
  operations: { create, list, find, change, remove },
};

function requireOwnDomains(domains: AccountDomains, caller: Principal, ids: string[] | null = []): Promise<void> {
  const named = (ids ?? []).map((id, i) => ({ field: `domain_ids[${i}]`, id }));
  return domains.requireOwn(caller, named);
}
