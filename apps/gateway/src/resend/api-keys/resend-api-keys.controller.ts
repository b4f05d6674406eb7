import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiKeys, type ApiKeyView, type Principal } from '#libs/accounts';
import { Caller } from '../../http/caller.js';
import { OwnKeyAllowed } from '../../http/route-access.js';
import { AccountDomains } from '../../rest/domains/account-domains.js';
import { BodyPipe } from '../../rest/validation/body-pipe.js';
import { PageQuery } from '../../rest/list.dto.js';
import { QueryPipe } from '../../rest/validation/query-pipe.js';
import { ResendChangeApiKeyDto, ResendCreateApiKeyDto } from './resend-api-keys.dto.js';
import { fromResendId, ResendIdPipe, type ResendReference, toResendId, toResendReference } from '../resend-id.js';
import { toResendList, resendPageRequest, type ResendList } from '../resend-list.js';
import { RESEND, ResendRoute } from '../resend-route.js';

type ResendApiKey = Pick<ApiKeyView, 'id' | 'name' | 'created_at' | 'last_used_at'>;
type Reference = ResendReference<'api_key'>;

const ID = new ResendIdPipe('key');
const referenceTo = (id: string): Reference => toResendReference('api_key', id);

@Controller(`${RESEND}/api-keys`)
export class ResendApiKeysController {
  constructor(
    private readonly apiKeys: ApiKeys,
    private readonly accountDomains: AccountDomains,
  ) {}

  /** A live key, because Resend has no field for the mode; test keys cannot create keys. */
  @Post()
  @ResendRoute('api_keys.write')
  async create(
    @Caller() caller: Principal,
    @Body(BodyPipe) { name, permission, domain_id }: ResendCreateApiKeyDto,
  ): Promise<{ id: string; token: string }> {
    const domainIds = typeof domain_id === 'string' ? [fromResendId('dom', domain_id)] : null;
    await this.accountDomains.requireOwn(
      caller,
      (domainIds ?? []).map((id) => ({ field: 'domain_id', id })),
    );
    const options = { name, permission, domain_ids: domainIds };
    const { id, token } = await this.apiKeys.create(caller.accountId, options, caller);
    return { id: toResendId(id), token };
  }

  @Get()
  @ResendRoute('api_keys.read')
  async list(@Caller() caller: Principal, @Query(QueryPipe) query: PageQuery): Promise<ResendList<ResendApiKey>> {
    return toResendList(await this.apiKeys.list(caller.accountId, resendPageRequest(query, 'key')), toResendApiKey);
  }

  @Patch(':id')
  @ResendRoute('api_keys.write')
  async update(
    @Caller() caller: Principal,
    @Param('id', ID) id: string,
    @Body(BodyPipe) { name }: ResendChangeApiKeyDto,
  ): Promise<Reference> {
    await this.apiKeys.change(caller, id, { name });
    return referenceTo(id);
  }

  @Delete(':id')
  @ResendRoute('api_keys.write')
  @OwnKeyAllowed()
  async remove(@Caller() caller: Principal, @Param('id', ID) id: string): Promise<Reference & { deleted: true }> {
    await this.apiKeys.remove(caller, id);
    return { ...referenceTo(id), deleted: true };
  }
}

function toResendApiKey({ id, name, created_at, last_used_at }: ApiKeyView): ResendApiKey {
  return { id: toResendId(id), name, created_at, last_used_at };
}
