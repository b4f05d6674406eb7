import { Body, Controller, Delete, Get, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiBody } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { AuditLog, type Principal } from '#libs/accounts';
import { LIMITS, Refusal, STATS_COUNTERS, type StatsCounter } from '#libs/contracts';
import { DkimRotation, DomainEntries, SendingDomains, type RotationRequest } from '#libs/domains';
import { StatsStore } from '#libs/stats';
import { AccountDomains } from './account-domains.js';
import { Caller } from '../../http/caller.js';
import { RequiresScope, WholeAccount } from '../../http/route-access.js';
import { Operation } from '../../openapi/operation.js';
import { BodyPipe } from '../validation/body-pipe.js';
import { DomainStatsDto } from './domain-stats.dto.js';
import { ChangeDomainDto, CreateDomainDto, DomainDeletedDto, DomainDto, DomainsQuery } from './domains.dto.js';
import { orNotFound } from '../or-not-found.js';
import { metricsResponse } from '../stats/metrics-response.js';
import { countsWindow } from '../stats/stats-query.js';
import { MetricsParametersDto, StatsDto } from '../stats/stats.dto.js';
import { QueryPipe, StrictQueryPipe } from '../validation/query-pipe.js';

const TAG = 'Domains';

/** Sending domains of the account. */
@Controller('domains')
export class DomainsController {
  constructor(
    private readonly domains: SendingDomains,
    private readonly entries: DomainEntries,
    private readonly accountDomains: AccountDomains,
    private readonly rotation: DkimRotation,
    private readonly audit: AuditLog,
    private readonly stats: StatsStore,
  ) {}

  @Post()
  @RequiresScope('domains.write')
  @WholeAccount()
  @ApiBody({ type: CreateDomainDto, examples: { domain: { value: { name: 'mail.example.com' } } } })
  @Operation({
    tag: TAG,
    summary: 'Add a domain',
    description: `The response contains the DNS records to publish. They are checked at once, then every minute for one hour and every five minutes for 72 hours. The domain becomes \`active\` when all required records are verified. Several accounts can add the same name; the first one that publishes its own DKIM key gets it. A duplicate name within the account, or more than ${LIMITS.domainsPerAccount} domains, is answered 409.`,
    response: DomainDto,
    status: 201,
    errors: [400, 409],
  })
  add(@Caller() caller: Principal, @Body(BodyPipe) dto: CreateDomainDto): Promise<DomainDto> {
    return this.accountDomains.add(caller.accountId, dto.name);
  }

  @Get()
  @RequiresScope('domains.read')
  @Operation({
    tag: TAG,
    summary: 'List domains',
    description: `Newest first, at most ${LIMITS.domainsPerAccount}. If there are more, the header \`link\` contains the URL of the next page (\`rel="next"\`).`,
    response: [DomainDto],
    errors: [400],
  })
  async list(
    @Caller() caller: Principal,
    @Query(QueryPipe) query: DomainsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DomainDto[]> {
    const request = { limit: LIMITS.domainsPerAccount, ...(query.after === undefined ? {} : { after: query.after }) };
    const { data, next_cursor } = await this.domains.page(caller, request);
    if (next_cursor !== null) void reply.header('link', `</domains?after=${next_cursor}>; rel="next"`);
    return data;
  }

  @Get(':id')
  @RequiresScope('domains.read')
  @Operation({ tag: TAG, summary: 'Get a domain', response: DomainDto, errors: [404] })
  async find(@Caller() caller: Principal, @Param('id') id: string): Promise<DomainDto> {
    return orNotFound(await this.domains.view(caller, id));
  }

  @Patch(':id')
  @RequiresScope('domains.write')
  @ApiBody({
    type: ChangeDomainDto,
    examples: {
      tracking: {
        summary: 'Tracking',
        value: { open_tracking: true, click_tracking: true, tracking_exclude: ['login.example.com'] },
      },
      security: { summary: 'TLS only', value: { tls: 'enforced' } },
      retention: { summary: 'Shorter retention', value: { body_retention_days: 7, captured_retention_days: 1 } },
    },
  })
  @Operation({
    tag: TAG,
    summary: 'Change the settings of a domain',
    description: 'Absent fields are not changed.',
    response: DomainDto,
    errors: [400, 404],
  })
  async change(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body(BodyPipe) dto: ChangeDomainDto,
  ): Promise<DomainDto> {
    return orNotFound(await this.entries.change(caller, id, dto));
  }

  @Post(':id/verify')
  @RequiresScope('domains.write')
  @Operation({
    tag: TAG,
    summary: 'Check the DNS records of a domain now',
    description:
      'The check starts at once and takes a few seconds; the response contains the results of the previous check. More than one check per domain in ten seconds is answered 429. The records are then checked every minute for one hour.',
    response: DomainDto,
    errors: [404],
  })
  async verify(@Caller() caller: Principal, @Param('id') id: string): Promise<DomainDto> {
    return orNotFound(await this.entries.requestCheck(caller, id));
  }

  @Post(':id/dkim/rotate')
  @RequiresScope('domains.write')
  @Operation({
    tag: TAG,
    summary: 'Rotate the DKIM keys of a domain',
    description:
      'Creates new keys and adds their records to `records`. Publish them beside the current ones; with CNAMEs to the service no change is needed. After two checks have found the new records, e-mails are signed with the new keys. The records of the old keys must stay in DNS for seven days. A second rotation during a rotation, or within seven days after it, is answered 409.',
    response: DomainDto,
    status: 202,
    errors: [404, 409],
  })
  async rotate(@Caller() caller: Principal, @Param('id') id: string): Promise<DomainDto> {
    return orNotFound(await this.rotation.rotate(this.rotationRequest(caller, id, 'domain.dkim_rotated')));
  }

  @Delete(':id/dkim/rotate')
  @RequiresScope('domains.write')
  @Operation({
    tag: TAG,
    summary: 'Cancel the rotation of the DKIM keys of a domain',
    description: 'Possible until e-mails are signed with the new keys; afterwards, and without a rotation, 409.',
    response: DomainDto,
    errors: [404, 409],
  })
  async cancelRotation(@Caller() caller: Principal, @Param('id') id: string): Promise<DomainDto> {
    return orNotFound(await this.rotation.cancel(this.rotationRequest(caller, id, 'domain.dkim_rotation_canceled')));
  }

  @Delete(':id')
  @RequiresScope('domains.write')
  @Operation({
    tag: TAG,
    summary: 'Remove a domain',
    description:
      'Removes the domain and its DKIM keys permanently. Queued and scheduled e-mails of the domain fail within five seconds with the reason `domain_removed`; API keys restricted to this domain alone are disabled. The suppressions of the domain are kept and apply again, under the new id, if the account adds the name again.',
    response: DomainDeletedDto,
    errors: [404],
  })
  async remove(@Caller() caller: Principal, @Param('id') id: string): Promise<DomainDeletedDto> {
    const removed = await this.accountDomains.remove(caller, id);
    if (!removed) throw new Refusal('not_found');
    return { object: 'domain', id, deleted: true };
  }

  @Get(':id/stats')
  @RequiresScope('stats.read')
  @Operation({
    tag: 'Statistics',
    summary: 'Get counts of a domain',
    description:
      'Numbers of recipients: by default those of the last 24 hours, or those from `from` to `to`. Events are counted within ' +
      'five seconds, later after an outage of the statistics store. With any other parameter the response is that of `GET /stats`, limited to the domain. Unknown parameters ' +
      'are refused.',
    responses: [DomainStatsDto, StatsDto],
    errors: [400, 404],
  })
  async domainStats(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query(StrictQueryPipe) given: MetricsParametersDto,
  ): Promise<DomainStatsDto | StatsDto> {
    const window = countsWindow(given);
    const domain = orNotFound(await this.domains.find(caller, id));
    if (window === null) return metricsResponse(this.stats, caller, { ...given, domain_id: domain.id });
    const { from, to, ...stats } = await this.stats.domainStats(caller, domain.id, window);
    const counts = Object.fromEntries(STATS_COUNTERS.map((counter) => [counter, stats[counter]]));
    return {
      object: 'domain_stats',
      domain_id: domain.id,
      from: from.toISOString(),
      to: to.toISOString(),
      ...(counts as Record<StatsCounter, number>),
    };
  }

  private rotationRequest(caller: Principal, id: string, action: string): RotationRequest {
    const { accountId, keyId: actor, ip } = caller;
    return {
      visibility: caller,
      id,
      alongside: (tx) => this.audit.record(tx, { accountId, actor, ip, action, target: id, details: {} }),
    };
  }
}
