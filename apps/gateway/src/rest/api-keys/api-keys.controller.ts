import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiBody } from '@nestjs/swagger';
import { ApiKeys, type ApiKeyChange, type Principal } from '#libs/accounts';
import { parseTimestamp } from '#libs/contracts';
import { Caller } from '../../http/caller.js';
import { OwnKeyAllowed, RequiresScope } from '../../http/route-access.js';
import { exampleId } from '../../openapi/properties.js';
import { Operation } from '../../openapi/operation.js';
import {
  ApiKeyDeletedDto,
  ApiKeyDto,
  ApiKeyList,
  ApiKeyQuery,
  ChangeApiKeyDto,
  CreateApiKeyDto,
  CreatedApiKeyDto,
} from './api-keys.dto.js';
import { BodyPipe } from '../validation/body-pipe.js';
import { AccountDomains } from '../domains/account-domains.js';
import { pageRequest } from '../list.dto.js';
import { orNotFound } from '../or-not-found.js';
import { QueryPipe } from '../validation/query-pipe.js';

const TAG = 'API keys';
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
/** API keys of the caller's account. */
@Controller('api-keys')
export class ApiKeysController {
  constructor(
    private readonly apiKeys: ApiKeys,
    private readonly accountDomains: AccountDomains,
  ) {}

  @Post()
  @RequiresScope('api_keys.write')
  @ApiBody({ type: CreateApiKeyDto, examples: NEW_KEYS })
  @Operation({
    tag: TAG,
    summary: 'Create an API key',
    description: `The token is returned only once. ${NO_ESCALATION}`,
    response: CreatedApiKeyDto,
    status: 201,
    errors: [400],
  })
  async create(@Caller() caller: Principal, @Body(BodyPipe) dto: CreateApiKeyDto): Promise<CreatedApiKeyDto> {
    await this.requireOwnDomains(caller, dto.domain_ids);
    const options = { ...toChange(dto), name: dto.name, mode: dto.mode };
    return this.apiKeys.create(caller.accountId, options, caller);
  }

  @Get()
  @RequiresScope('api_keys.read')
  @Operation({
    tag: TAG,
    summary: 'List API keys',
    description: 'Newest first, without deleted keys.',
    response: ApiKeyList,
    errors: [400],
  })
  list(@Caller() caller: Principal, @Query(QueryPipe) query: ApiKeyQuery): Promise<ApiKeyList> {
    return this.apiKeys.list(caller.accountId, pageRequest(query, 'key'));
  }

  @Get(':id')
  @RequiresScope('api_keys.read')
  @Operation({ tag: TAG, summary: 'Get an API key', response: ApiKeyDto, errors: [404] })
  async find(@Caller() caller: Principal, @Param('id') id: string): Promise<ApiKeyDto> {
    return orNotFound(await this.apiKeys.find(caller.accountId, id));
  }

  @Patch(':id')
  @RequiresScope('api_keys.write')
  @ApiBody({ type: ChangeApiKeyDto, examples: CHANGED_KEYS })
  @Operation({
    tag: TAG,
    summary: 'Change an API key',
    description: `Takes effect within one second, also for open connections. ${NO_ESCALATION} ${WITHIN_OWN_RIGHTS}`,
    response: ApiKeyDto,
    errors: [400, 404, 409],
  })
  async change(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body(BodyPipe) dto: ChangeApiKeyDto,
  ): Promise<ApiKeyDto> {
    await this.requireOwnDomains(caller, dto.domain_ids);
    return this.apiKeys.change(caller, id, { ...toChange(dto), enabled: dto.enabled });
  }

  @Delete(':id')
  @RequiresScope('api_keys.write')
  @OwnKeyAllowed()
  @Operation({
    tag: TAG,
    summary: 'Delete an API key',
    description: `Permanent. Takes effect within one second, also for open connections. ${WITHIN_OWN_RIGHTS} Every key may delete itself, whatever its scopes.`,
    response: ApiKeyDeletedDto,
    errors: [404],
  })
  async remove(@Caller() caller: Principal, @Param('id') id: string): Promise<ApiKeyDeletedDto> {
    await this.apiKeys.remove(caller, id);
    return { object: 'api_key', id, deleted: true };
  }

  private requireOwnDomains(caller: Principal, ids: string[] | null | undefined): Promise<void> {
    const domains = (ids ?? []).map((id, i) => ({ field: `domain_ids[${i}]`, id }));
    return this.accountDomains.requireOwn(caller, domains);
  }
}

function toChange(dto: CreateApiKeyDto | ChangeApiKeyDto): ApiKeyChange {
  const { name, permission, scopes, domain_ids, allowed_ips, expires_at } = dto;
  return {
    name,
    permission,
    scopes,
    domainIds: domain_ids,
    allowedIps: allowed_ips,
    expiresAt: typeof expires_at === 'string' ? parseTimestamp(expires_at) : expires_at,
  };
}
