import { Body, Controller, Delete, Get, Param, Post, Query, Res } from '@nestjs/common';
import { ApiResponse, ApiBody } from '@nestjs/swagger';
import { AuditLog, type Principal } from '#libs/accounts';
import { assertDomainsVisible } from '#libs/contracts';
import { SuppressionEntries, suppressionTarget, type SuppressionTarget } from '#libs/suppressions';
import type { FastifyReply } from 'fastify';
import { Caller } from '../../http/caller.js';
import { RequiresScope } from '../../http/route-access.js';
import { exampleId } from '../../openapi/properties.js';
import { Operation } from '../../openapi/operation.js';
import { BodyPipe } from '../validation/body-pipe.js';
import { orNotFound } from '../or-not-found.js';
import { AccountDomains } from '../domains/account-domains.js';
import { pageRequest } from '../list.dto.js';
import { QueryPipe } from '../validation/query-pipe.js';
import { removalOptions, removedOrRefused, toSuppression } from './suppression-requests.js';
import {
  RemoveSuppressionQuery,
  SUPPRESSED_ADDRESS,
  SuppressDto,
  SuppressionDeletedDto,
  SuppressionDto,
  SuppressionPage,
  SuppressionQuery,
  SuppressionsQuery,
} from './suppressions.dto.js';

const TAG = 'Suppressions';

const NEW_ENTRIES = {
  account: { summary: 'For all e-mails', value: { email: SUPPRESSED_ADDRESS, reason: 'Asked us on the telephone' } },
  domain: {
    summary: 'For one domain, until a time',
    value: { email: SUPPRESSED_ADDRESS, domain_id: exampleId('dom'), expires_at: '2030-01-31T09:30:00Z' },
  },
};
/** The suppression list and its single entries. Bulk operations are in `suppressions-bulk.controller.ts`. */
@Controller('suppressions')
export class SuppressionsController {
  constructor(
    private readonly entries: SuppressionEntries,
    private readonly accountDomains: AccountDomains,
    private readonly audit: AuditLog,
  ) {}

  @Get()
  @RequiresScope('suppressions.read')
  @Operation({
    tag: TAG,
    summary: 'List suppressed addresses',
    description: 'Newest first, without expired entries unless `expired` is true. An entry must match all filters.',
    response: SuppressionPage,
    errors: [400],
  })
  list(@Caller() caller: Principal, @Query(QueryPipe) query: SuppressionsQuery): Promise<SuppressionPage> {
    const { origin, q, domain_id: domainId, expired } = query;
    const filter = { origin, q, domainId, expired: expired === 'true' };
    return this.entries.page(caller, filter, pageRequest(query, 'sup'));
  }

  @Post()
  @RequiresScope('suppressions.write')
  @ApiBody({ type: SuppressDto, examples: NEW_ENTRIES })
  @Operation({
    tag: TAG,
    summary: 'Suppress an address',
    description:
      'E-mails to it are refused from now on, and queued e-mails to it are not delivered. An existing entry that lasts at ' +
      'least as long is returned unchanged with 200; a shorter one is replaced.',
    response: SuppressionDto,
    status: 201,
    errors: [400],
  })
  @ApiResponse({ status: 200, description: 'The existing entry', type: SuppressionDto })
  async add(
    @Caller() caller: Principal,
    @Body(BodyPipe) dto: SuppressDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SuppressionDto> {
    await this.accountDomains.requireOwn(caller, [{ field: 'domain_id', id: dto.domain_id }]);
    const [{ entry, created }] = await this.entries.add(caller, [toSuppression(dto)]);
    void reply.status(created ? 201 : 200);
    return entry;
  }

  @Get(':email')
  @RequiresScope('suppressions.read')
  @Operation({
    tag: TAG,
    summary: 'Get a suppressed address',
    description: 'By address or by id. An expired entry is not found.',
    response: SuppressionDto,
    errors: [400, 404],
  })
  async find(
    @Caller() caller: Principal,
    @Param('email') email: string,
    @Query(QueryPipe) { domain_id: domainId }: SuppressionQuery,
  ): Promise<SuppressionDto> {
    return orNotFound(await this.entries.find(caller, targetOf(caller, email, domainId)));
  }

  @Delete(':email')
  @RequiresScope('suppressions.write')
  @Operation({
    tag: TAG,
    summary: 'Remove an address from the list',
    description:
      'By address or by id. E-mails to it are accepted again. A complaint is kept (409) unless `force` is true, because ' +
      'sending to recipients who complained harms the reputation of the sender.',
    response: SuppressionDeletedDto,
    errors: [400, 404, 409],
  })
  async remove(
    @Caller() caller: Principal,
    @Param('email') email: string,
    @Query(QueryPipe) { domain_id: domainId, force }: RemoveSuppressionQuery,
  ): Promise<SuppressionDeletedDto> {
    const options = removalOptions(caller, this.audit, force === 'true');
    const [removal] = await this.entries.remove(caller, [targetOf(caller, email, domainId)], options);
    const { id, email: address } = removedOrRefused(removal);
    return { object: 'suppression', id, email: address, deleted: true };
  }
}

/**
 * @throws Refusal `restricted_api_key` for a domain that the key does not see, `not_found` for text that is neither an id nor
 * an address
 */
function targetOf(caller: Principal, written: string, domainId?: string): SuppressionTarget {
  if (domainId !== undefined) assertDomainsVisible(caller, [{ field: 'domain_id', id: domainId }]);
  return orNotFound(suppressionTarget(written, domainId));
}
