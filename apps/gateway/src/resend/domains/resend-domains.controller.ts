import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import { Refusal } from '#libs/contracts';
import { DomainEntries, SendingDomains } from '#libs/domains';
import { AccountDomains } from '../../rest/domains/account-domains.js';
import { Caller } from '../../http/caller.js';
import { WholeAccount } from '../../http/route-access.js';
import { BodyPipe } from '../../rest/validation/body-pipe.js';
import { orNotFound } from '../../rest/or-not-found.js';
import { PageQuery } from '../../rest/list.dto.js';
import { QueryPipe } from '../../rest/validation/query-pipe.js';
import { toResendDomain, toResendDomainItem, type ResendDomain, type ResendDomainItem } from './resend-domain.js';
import { ResendChangeDomainDto, ResendCreateDomainDto, toDomainSettings } from './resend-domains.dto.js';
import { ResendIdPipe, type ResendReference, toResendReference } from '../resend-id.js';
import { toResendList, resendPageRequest, type ResendList } from '../resend-list.js';
import { RESEND, ResendRoute } from '../resend-route.js';

type Reference = ResendReference<'domain'>;

const ID = new ResendIdPipe('dom');
const referenceTo = (id: string): Reference => toResendReference('domain', id);

@Controller(`${RESEND}/domains`)
export class ResendDomainsController {
  constructor(
    private readonly domains: SendingDomains,
    private readonly entries: DomainEntries,
    private readonly accountDomains: AccountDomains,
  ) {}

  @Post()
  @ResendRoute('domains.write')
  @WholeAccount()
  async create(@Caller() caller: Principal, @Body(BodyPipe) dto: ResendCreateDomainDto): Promise<ResendDomain> {
    return toResendDomain(await this.accountDomains.add(caller.accountId, dto.name, toDomainSettings(dto)));
  }

  @Get()
  @ResendRoute('domains.read')
  async list(@Caller() caller: Principal, @Query(QueryPipe) query: PageQuery): Promise<ResendList<ResendDomainItem>> {
    return toResendList(await this.domains.page(caller, resendPageRequest(query, 'dom')), toResendDomainItem);
  }

  @Get(':id')
  @ResendRoute('domains.read')
  async find(@Caller() caller: Principal, @Param('id', ID) id: string): Promise<ResendDomain> {
    return toResendDomain(orNotFound(await this.domains.view(caller, id)));
  }

  @Patch(':id')
  @ResendRoute('domains.write')
  async update(
    @Caller() caller: Principal,
    @Param('id', ID) id: string,
    @Body(BodyPipe) dto: ResendChangeDomainDto,
  ): Promise<Reference> {
    orNotFound(await this.entries.change(caller, id, toDomainSettings(dto)));
    return referenceTo(id);
  }

  @Post(':id/verify')
  @ResendRoute('domains.write')
  async verify(@Caller() caller: Principal, @Param('id', ID) id: string): Promise<Reference> {
    orNotFound(await this.entries.requestCheck(caller, id));
    return referenceTo(id);
  }

  @Delete(':id')
  @ResendRoute('domains.write')
  async remove(@Caller() caller: Principal, @Param('id', ID) id: string): Promise<Reference & { deleted: true }> {
    const removed = await this.accountDomains.remove(caller, id);
    if (!removed) throw new Refusal('not_found');
    return { ...referenceTo(id), deleted: true };
  }
}
