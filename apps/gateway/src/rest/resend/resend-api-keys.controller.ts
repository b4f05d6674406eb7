import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiKeys, type ApiKeyView, type Principal } from '#libs/accounts';
import { SendingDomains } from '#libs/domains';
import { Caller } from '../../http/caller.js';
import { BodyPipe } from '../body-pipe.js';
import { invalidFields } from '../invalid-fields.js';
import { PageQuery } from '../list.dto.js';
import { QueryPipe } from '../query-pipe.js';
import { ResendChangeApiKeyDto, ResendCreateApiKeyDto } from './resend-api-keys.dto.js';
import { ResendIdPipe } from './resend-id-pipe.js';
import { fromResendId, toResendId } from './resend-id.js';
import { resendList, resendPageRequest, type ResendList } from './resend-page.js';
import { RESEND, ResendRoute } from './resend-route.js';

type ResendApiKey = Pick<ApiKeyView, 'id' | 'name' | 'created_at' | 'last_used_at'>;
interface Named {
  object: 'api_key';
  id: string;
}

const ID = new ResendIdPipe('key');
const named = (id: string): Named => ({ object: 'api_key', id: toResendId(id) });

@Controller(`${RESEND}/api-keys`)
export class ResendApiKeysController {
  constructor(
    private readonly apiKeys: ApiKeys,
    private readonly domains: SendingDomains,
  ) {}

  /** Of the caller's own mode: these clients cannot say which, and a test key may make no live key. */
  @Post()
  @ResendRoute('api_keys.write')
  async create(
    @Caller() caller: Principal,
    @Body(BodyPipe) { name, permission, domain_id }: ResendCreateApiKeyDto,
  ): Promise<{ id: string; token: string }> {
    const domainIds = typeof domain_id === 'string' ? [await this.ownDomain(caller, domain_id)] : null;
    const options = { name, permission, domainIds, mode: caller.mode };
    const { id, token } = await this.apiKeys.create(caller.accountId, options, caller);
    return { id: toResendId(id), token };
  }

  @Get()
  @ResendRoute('api_keys.read')
  async list(@Caller() caller: Principal, @Query(QueryPipe) query: PageQuery): Promise<ResendList<ResendApiKey>> {
    return resendList(await this.apiKeys.list(caller.accountId, resendPageRequest(query, 'key')), resendApiKey);
  }

  @Patch(':id')
  @ResendRoute('api_keys.write')
  async update(
    @Caller() caller: Principal,
    @Param('id', ID) id: string,
    @Body(BodyPipe) { name }: ResendChangeApiKeyDto,
  ): Promise<Named> {
    await this.apiKeys.change(caller, id, { name });
    return named(id);
  }

  @Delete(':id')
  @ResendRoute('api_keys.write')
  async remove(@Caller() caller: Principal, @Param('id', ID) id: string): Promise<Named & { deleted: true }> {
    await this.apiKeys.remove(caller, id);
    return { ...named(id), deleted: true };
  }

  /** A foreign domain is answered as one that does not exist. */
  private async ownDomain({ accountId }: Principal, written: string): Promise<string> {
    const id = fromResendId('dom', written);
    if (await this.domains.find(accountId, id)) return id;
    throw invalidFields([{ field: 'domain_id', code: 'unknown_domain', message: 'must be a domain of this account' }]);
  }
}

function resendApiKey({ id, name, created_at, last_used_at }: ApiKeyView): ResendApiKey {
  return { id: toResendId(id), name, created_at, last_used_at };
}
