import { Body, Controller, Delete, Get, Param, Post, Query, Res } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { AuditLog, type Principal } from '#libs/accounts';
import { SendingDomains } from '#libs/domains';
import { SuppressionEntries, suppressionTarget, type SuppressionTarget } from '#libs/suppressions';
import type { FastifyReply } from 'fastify';
import { Caller } from '../http/caller.js';
import { RequiresScope } from '../http/route-access.js';
import { Operation } from '../openapi/operation.js';
import { BodyPipe } from './body-pipe.js';
import { found } from './found.js';
import { pageRequest } from './list.dto.js';
import { QueryPipe } from './query-pipe.js';
import { requireOwnDomains, suppressionFrom } from './suppression-from.js';
import { removalBy, removedEntry } from './suppression-removal.js';
import {
  RemoveSuppressionQuery,
  SuppressDto,
  SuppressionDeletedDto,
  SuppressionDto,
  SuppressionPage,
  SuppressionQuery,
  SuppressionsQuery,
} from './suppressions.dto.js';

const TAG = 'Suppressions';

/** Single entries and the list (D-48…D-51); many at once are in `suppressions-bulk.controller.ts`. */
@Controller('suppressions')
export class SuppressionsController {
  constructor(
    private readonly entries: SuppressionEntries,
    private readonly domains: SendingDomains,
    private readonly audit: AuditLog,
  ) {}

  @Get()
  @RequiresScope('suppressions.read')
  @Operation({
    tag: TAG,
    summary: 'List suppressed addresses',
    description: 'Newest first, without entries that have expired. Filters can be combined.',
    answer: SuppressionPage,
    refuses: [400],
  })
  list(@Caller() { accountId }: Principal, @Query(QueryPipe) query: SuppressionsQuery): Promise<SuppressionPage> {
    const { origin, q, domain_id: domainId, expired } = query;
    const filter = { origin, q, domainId, expired: expired === 'true' };
    return this.entries.page(accountId, filter, pageRequest(query, 'sup'));
  }

  @Post()
  @RequiresScope('suppressions.write')
  @Operation({
    tag: TAG,
    summary: 'Suppress an address',
    description:
      'Mail to it is refused at once, and mail that waits for it is not delivered. An entry that is there already and ' +
      'lasts at least as long stays as it is and is the answer, with 200; a longer one takes the place of a shorter one.',
    answer: SuppressionDto,
    status: 201,
    refuses: [400],
  })
  @ApiResponse({ status: 200, description: 'The entry that was there already', type: SuppressionDto })
  async add(
    @Caller() { accountId }: Principal,
    @Body(BodyPipe) dto: SuppressDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SuppressionDto> {
    await requireOwnDomains(this.domains, accountId, [{ field: 'domain_id', id: dto.domain_id }]);
    const [{ entry, created }] = await this.entries.add(accountId, [suppressionFrom(dto)]);
    void reply.status(created ? 201 : 200);
    return entry;
  }

  @Get(':email')
  @RequiresScope('suppressions.read')
  @Operation({
    tag: TAG,
    summary: 'Get a suppressed address',
    description: 'By address or by id. An expired entry counts as none.',
    answer: SuppressionDto,
    refuses: [400, 404],
  })
  async find(
    @Caller() { accountId }: Principal,
    @Param('email') email: string,
    @Query(QueryPipe) { domain_id: domainId }: SuppressionQuery,
  ): Promise<SuppressionDto> {
    return found(await this.entries.find(accountId, targetOf(email, domainId)));
  }

  @Delete(':email')
  @RequiresScope('suppressions.write')
  @Operation({
    tag: TAG,
    summary: 'Remove an address from the list',
    description:
      'By address or by id. The next mail to it passes. A complaint stays (409) unless `force` is true: whoever ' +
      'complained and gets mail again harms the standing of the sender.',
    answer: SuppressionDeletedDto,
    refuses: [400, 404, 409],
  })
  async remove(
    @Caller() caller: Principal,
    @Param('email') email: string,
    @Query(QueryPipe) { domain_id: domainId, force }: RemoveSuppressionQuery,
  ): Promise<SuppressionDeletedDto> {
    const options = removalBy(caller, this.audit, force === 'true');
    const [removal] = await this.entries.remove(caller.accountId, [targetOf(email, domainId)], options);
    const { id, email: address } = removedEntry(removal);
    return { object: 'suppression', id, email: address, deleted: true };
  }
}

/** @throws Refusal `not_found` for what is neither an id nor an address */
const targetOf = (written: string, domainId?: string): SuppressionTarget => found(suppressionTarget(written, domainId));
