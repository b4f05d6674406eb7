import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import { Refusal } from '#libs/contracts';
import { DomainEntries, SendingDomains } from '#libs/domains';
import { AccountDomains } from '../../account-domains.js';
import { Caller } from '../../http/caller.js';
import { BodyPipe } from '../body-pipe.js';
import { found } from '../found.js';
import { PageQuery } from '../list.dto.js';
import { QueryPipe } from '../query-pipe.js';
import { resendDomain, resendDomainItem, type ResendDomain, type ResendDomainItem } from './resend-domain.js';
import { ResendChangeDomainDto, ResendCreateDomainDto, resendDomainSettings } from './resend-domains.dto.js';
import { ResendIdPipe } from './resend-id-pipe.js';
import { toResendId } from './resend-id.js';
import { resendList, resendPageRequest, type ResendList } from './resend-page.js';
import { RESEND, ResendRoute } from './resend-route.js';

interface Named {
  object: 'domain';
  id: string;
}

const ID = new ResendIdPipe('dom');
const named = (id: string): Named => ({ object: 'domain', id: toResendId(id) });

@Controller(`${RESEND}/domains`)
export class ResendDomainsController {
  constructor(
    private readonly domains: SendingDomains,
    private readonly entries: DomainEntries,
    private readonly own: AccountDomains,
  ) {}

  @Post()
  @ResendRoute('domains.write')
  async create(@Caller() caller: Principal, @Body(BodyPipe) dto: ResendCreateDomainDto): Promise<ResendDomain> {
    return resendDomain(await this.own.add(caller.accountId, dto.name, resendDomainSettings(dto)));
  }

  @Get()
  @ResendRoute('domains.read')
  async list(@Caller() caller: Principal, @Query(QueryPipe) query: PageQuery): Promise<ResendList<ResendDomainItem>> {
    return resendList(await this.domains.page(caller.accountId, resendPageRequest(query, 'dom')), resendDomainItem);
  }

  @Get(':id')
  @ResendRoute('domains.read')
  async find(@Caller() caller: Principal, @Param('id', ID) id: string): Promise<ResendDomain> {
    return resendDomain(found(await this.domains.view(caller.accountId, id)));
  }

  @Patch(':id')
  @ResendRoute('domains.write')
  async update(
    @Caller() caller: Principal,
    @Param('id', ID) id: string,
    @Body(BodyPipe) dto: ResendChangeDomainDto,
  ): Promise<Named> {
    found(await this.entries.change(caller.accountId, id, resendDomainSettings(dto)));
    return named(id);
  }

  @Post(':id/verify')
  @ResendRoute('domains.write')
  async verify(@Caller() caller: Principal, @Param('id', ID) id: string): Promise<Named> {
    found(await this.entries.askForCheck(caller.accountId, id));
    return named(id);
  }

  @Delete(':id')
  @ResendRoute('domains.write')
  async remove(@Caller() { accountId }: Principal, @Param('id', ID) id: string): Promise<Named & { deleted: true }> {
    const removed = await this.own.remove(accountId, id);
    if (!removed) throw new Refusal('not_found');
    return { ...named(id), deleted: true };
  }
}
