import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import { normaliseAddress } from '#libs/mime';
import { SuppressionEntries, suppressionTarget, type SuppressionTarget } from '#libs/suppressions';
import { Caller } from '../../http/caller.js';
import { BodyPipe } from '../body-pipe.js';
import { found } from '../found.js';
import { QueryPipe } from '../query-pipe.js';
import { fromResendId, toResendId } from './resend-id.js';
import { resendList, resendPageRequest, type ResendList } from './resend-page.js';
import { RESEND, ResendRoute } from './resend-route.js';
import { merged, originsBehind, resendSuppression, type ResendSuppression } from './resend-suppression.js';
import { ResendSuppressAllDto, ResendSuppressDto, ResendSuppressionsQuery } from './resend-suppressions.dto.js';

interface Named {
  object: 'suppression';
  id: string;
}

const named = (id: string): Named => ({ object: 'suppression', id: toResendId(id) });

/** The list of the whole account; entries of single domains are for our own API. */
@Controller(`${RESEND}/suppressions`)
export class ResendSuppressionsController {
  constructor(private readonly entries: SuppressionEntries) {}

  @Post()
  @ResendRoute('suppressions.write')
  async add(@Caller() caller: Principal, @Body(BodyPipe) { email }: ResendSuppressDto): Promise<Named> {
    const [added] = await this.addAll(caller, [email]);
    return added;
  }

  @Post('batch/add')
  @ResendRoute('suppressions.write')
  async addBatch(
    @Caller() caller: Principal,
    @Body(BodyPipe) { emails }: ResendSuppressAllDto,
  ): Promise<{ data: Named[] }> {
    return { data: await this.addAll(caller, emails) };
  }

  @Get()
  @ResendRoute('suppressions.read')
  async list(
    @Caller() { accountId }: Principal,
    @Query(QueryPipe) query: ResendSuppressionsQuery,
  ): Promise<ResendList<ResendSuppression>> {
    const request = resendPageRequest(query, 'sup');
    const origins = query.origin === undefined ? [undefined] : originsBehind(query.origin);
    const pages = await Promise.all(origins.map((origin) => this.entries.page(accountId, { origin }, request)));
    return resendList(merged(pages, request), resendSuppression);
  }

  @Get(':idOrEmail')
  @ResendRoute('suppressions.read')
  async find(
    @Caller() { accountId }: Principal,
    @Param('idOrEmail') written: string,
  ): Promise<ResendSuppression & { object: 'suppression' }> {
    const entry = found(await this.entries.find(accountId, targetOf(written)));
    return { object: 'suppression', ...resendSuppression(entry) };
  }

  private async addAll({ accountId }: Principal, emails: string[]): Promise<Named[]> {
    const entries = emails.map((email) => ({
      address: normaliseAddress(email),
      origin: 'manual' as const,
      reason: null,
      sourceId: null,
    }));
    return (await this.entries.add(accountId, entries)).map(({ entry }) => named(entry.id));
  }
}

/** @throws Refusal `not_found` for what is neither an id nor an address */
const targetOf = (written: string): SuppressionTarget => found(suppressionTarget(fromResendId('sup', written)));
