import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiKeys, type ApiKeyChange, type Principal } from '#libs/accounts';
import { parseTimestamp, Refusal, type RefusalDetail } from '#libs/contracts';
import { SendingDomains } from '#libs/domains';
import { Caller } from '../http/caller.js';
import { RequiresScope } from '../http/route-access.js';
import { Operation } from '../openapi/operation.js';
import {
  ApiKeyDeletedDto,
  ApiKeyDto,
  ApiKeyList,
  ApiKeyQuery,
  ChangeApiKeyDto,
  CreateApiKeyDto,
  CreatedApiKeyDto,
} from './api-keys.dto.js';
import { BodyPipe } from './body-pipe.js';
import { invalidFields } from './invalid-fields.js';
import { pageRequest } from './list.dto.js';
import { QueryPipe } from './query-pipe.js';

const TAG = 'API keys';
const NO_MORE_POWER = 'A key hands out nothing that it does not have itself: such a request is answered 403.';

/** API keys of the caller's account (D-55). */
@Controller('api-keys')
export class ApiKeysController {
  constructor(
    private readonly apiKeys: ApiKeys,
    private readonly domains: SendingDomains,
  ) {}

  @Post()
  @RequiresScope('api_keys.write')
  @Operation({
    tag: TAG,
    summary: 'Create an API key',
    description: `The token is in this answer only. ${NO_MORE_POWER}`,
    answer: CreatedApiKeyDto,
    status: 201,
    refuses: [400],
  })
  async create(@Caller() caller: Principal, @Body(BodyPipe) dto: CreateApiKeyDto): Promise<CreatedApiKeyDto> {
    await this.requireOwnDomains(caller, dto.domain_ids);
    const options = { ...changeOf(dto), name: dto.name, mode: dto.mode };
    return this.apiKeys.create(caller.accountId, options, caller);
  }

  @Get()
  @RequiresScope('api_keys.read')
  @Operation({
    tag: TAG,
    summary: 'List API keys',
    description: 'Newest first; deleted keys are left out.',
    answer: ApiKeyList,
    refuses: [400],
  })
  list(@Caller() caller: Principal, @Query(QueryPipe) query: ApiKeyQuery): Promise<ApiKeyList> {
    return this.apiKeys.list(caller.accountId, pageRequest(query, 'key'));
  }

  @Get(':id')
  @RequiresScope('api_keys.read')
  @Operation({ tag: TAG, summary: 'Get an API key', answer: ApiKeyDto, refuses: [404] })
  async find(@Caller() caller: Principal, @Param('id') id: string): Promise<ApiKeyDto> {
    const key = await this.apiKeys.find(caller.accountId, id);
    if (!key) throw new Refusal('not_found');
    return key;
  }

  @Patch(':id')
  @RequiresScope('api_keys.write')
  @Operation({
    tag: TAG,
    summary: 'Change an API key',
    description: `Counts within a second, open connections included. ${NO_MORE_POWER}`,
    answer: ApiKeyDto,
    refuses: [400, 404, 409],
  })
  async change(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body(BodyPipe) dto: ChangeApiKeyDto,
  ): Promise<ApiKeyDto> {
    await this.requireOwnDomains(caller, dto.domain_ids);
    return this.apiKeys.change(caller, id, { ...changeOf(dto), enabled: dto.enabled });
  }

  @Delete(':id')
  @RequiresScope('api_keys.write')
  @Operation({
    tag: TAG,
    summary: 'Delete an API key',
    description: 'For good; counts within a second, open connections included.',
    answer: ApiKeyDeletedDto,
    refuses: [404],
  })
  async remove(@Caller() caller: Principal, @Param('id') id: string): Promise<ApiKeyDeletedDto> {
    await this.apiKeys.remove(caller, id);
    return { object: 'api_key', id, deleted: true };
  }

  /** A foreign domain is answered as one that does not exist. */
  private async requireOwnDomains({ accountId }: Principal, ids: string[] | null | undefined): Promise<void> {
    const problems: RefusalDetail[] = [];
    for (const [i, id] of (ids ?? []).entries()) {
      // One after the other: a hundred at once would take the connections from everybody else.
      if (await this.domains.find(accountId, id)) continue;
      problems.push({ field: `domain_ids[${i}]`, code: 'unknown_domain', message: 'must be a domain of this account' });
    }
    if (problems.length > 0) throw invalidFields(problems);
  }
}

function changeOf(dto: CreateApiKeyDto | ChangeApiKeyDto): ApiKeyChange {
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
