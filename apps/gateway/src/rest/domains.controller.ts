import { Body, Controller, Delete, Get, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { AuditLog, type Principal } from '#libs/accounts';
import { LIMITS, Refusal, STATS_COUNTERS, type StatsCounter } from '#libs/contracts';
import { DkimRotation, DomainEntries, SendingDomains, type RotationRequest } from '#libs/domains';
import { StatsStore } from '#libs/stats';
import type { FastifyReply } from 'fastify';
import { AccountDomains } from '../account-domains.js';
import { Caller } from '../http/caller.js';
import { RequiresScope } from '../http/route-access.js';
import { statsWindow } from '../stats-window.js';
import { Operation } from '../openapi/operation.js';
import { BodyPipe } from './body-pipe.js';
import { DomainStatsDto, StatsWindowQuery } from './domain-stats.dto.js';
import { ChangeDomainDto, CreateDomainDto, DomainDeletedDto, DomainDto, DomainsQuery } from './domains.dto.js';
import { found } from './found.js';
import { QueryPipe } from './query-pipe.js';
import { parseTimestamp } from '../timestamp.js';

const TAG = 'Domains';

/** Sending domains (D-43…D-47). */
@Controller('domains')
export class DomainsController {
  constructor(
    private readonly domains: SendingDomains,
    private readonly entries: DomainEntries,
    private readonly own: AccountDomains,
    private readonly rotation: DkimRotation,
    private readonly audit: AuditLog,
    private readonly stats: StatsStore,
  ) {}

  @Post()
  @RequiresScope('domains.write')
  @Operation({
    tag: TAG,
    summary: 'Add a domain',
    description: `The answer shows the DNS records to publish. They are looked at at once, every minute in the first hour and every five minutes for 72 hours; with all required records verified the domain is \`active\`. A name may wait in several accounts; the first to publish its own DKIM key has it. The same name twice in one account, or more than ${LIMITS.domainsPerAccount} domains, is answered 409.`,
    answer: DomainDto,
    status: 201,
    refuses: [400, 409],
  })
  add(@Caller() caller: Principal, @Body(BodyPipe) dto: CreateDomainDto): Promise<DomainDto> {
    return this.own.add(caller.accountId, dto.name);
  }

  /** A bare array, as the interface has it (D-9). */
  @Get()
  @RequiresScope('domains.read')
  @Operation({
    tag: TAG,
    summary: 'List domains',
    description: `Newest first, up to ${LIMITS.domainsPerAccount}. Where there are more, the header \`link\` leads to the rest (\`rel="next"\`).`,
    answer: [DomainDto],
    refuses: [400],
  })
  async list(
    @Caller() caller: Principal,
    @Query(QueryPipe) query: DomainsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DomainDto[]> {
    const request = { limit: LIMITS.domainsPerAccount, ...(query.after === undefined ? {} : { after: query.after }) };
    const { data, next_cursor } = await this.domains.page(caller.accountId, request);
    if (next_cursor !== null) void reply.header('link', `</domains?after=${next_cursor}>; rel="next"`);
    return data;
  }

  @Get(':id')
  @RequiresScope('domains.read')
  @Operation({ tag: TAG, summary: 'Get a domain', answer: DomainDto, refuses: [404] })
  async find(@Caller() caller: Principal, @Param('id') id: string): Promise<DomainDto> {
    return found(await this.domains.view(caller.accountId, id));
  }

  @Patch(':id')
  @RequiresScope('domains.write')
  @Operation({
    tag: TAG,
    summary: 'Change the settings of a domain',
    description: 'Fields that are not given stay as they are.',
    answer: DomainDto,
    refuses: [400, 404],
  })
  async change(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body(BodyPipe) dto: ChangeDomainDto,
  ): Promise<DomainDto> {
    const { open_tracking: openTracking, click_tracking: clickTracking, tls } = dto;
    return found(await this.entries.change(caller.accountId, id, { openTracking, clickTracking, tls }));
  }

  @Post(':id/verify')
  @RequiresScope('domains.write')
  @Operation({
    tag: TAG,
    summary: 'Check the DNS records of a domain now',
    description:
      'The check begins right away and takes some seconds; the answer shows what is known before it. Once in ten seconds for each domain, more often is answered 429. For an hour after it the records are looked at every minute.',
    answer: DomainDto,
    refuses: [404],
  })
  async verify(@Caller() caller: Principal, @Param('id') id: string): Promise<DomainDto> {
    return found(await this.entries.askForCheck(caller.accountId, id));
  }

  @Post(':id/dkim/rotate')
  @RequiresScope('domains.write')
  @Operation({
    tag: TAG,
    summary: 'Rotate the DKIM keys of a domain',
    description:
      'Makes new keys, whose records are then among `records`; publish them beside the present ones, or do nothing where the names are CNAMEs to the service. As soon as DNS has shown them twice, mail is signed by them. The records of the old keys stay listed, and must stay in DNS, for seven days. While a rotation is under way or less than seven days old, another is answered 409.',
    answer: DomainDto,
    status: 202,
    refuses: [404, 409],
  })
  async rotate(@Caller() caller: Principal, @Param('id') id: string): Promise<DomainDto> {
    return found(await this.rotation.rotate(this.rotationBy(caller, id, 'domain.dkim_rotated')));
  }

  @Delete(':id/dkim/rotate')
  @RequiresScope('domains.write')
  @Operation({
    tag: TAG,
    summary: 'Cancel the rotation of the DKIM keys of a domain',
    description: 'Possible until the new keys sign, 409 after that and when there is no rotation.',
    answer: DomainDto,
    refuses: [404, 409],
  })
  async cancelRotation(@Caller() caller: Principal, @Param('id') id: string): Promise<DomainDto> {
    return found(await this.rotation.cancel(this.rotationBy(caller, id, 'domain.dkim_rotation_canceled')));
  }

  @Delete(':id')
  @RequiresScope('domains.write')
  @Operation({
    tag: TAG,
    summary: 'Remove a domain',
    description:
      'For good, with its DKIM keys. Mail of the domain that waits fails with the reason `domain_removed`; API keys that are limited to the domain are disabled. The suppressions of the domain stay: they count again when the account adds the name again, under the new id.',
    answer: DomainDeletedDto,
    refuses: [404],
  })
  async remove(@Caller() { accountId }: Principal, @Param('id') id: string): Promise<DomainDeletedDto> {
    const removed = await this.own.remove(accountId, id);
    if (!removed) throw new Refusal('not_found');
    return { object: 'domain', id, deleted: true };
  }

  @Get(':id/stats')
  @RequiresScope('stats.read')
  @Operation({
    tag: 'Statistics',
    summary: 'Counts of one domain',
    description: 'Counts of recipients, at most five seconds behind.',
    answer: DomainStatsDto,
    refuses: [400, 404],
  })
  async domainStats(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query(QueryPipe) query: StatsWindowQuery,
  ): Promise<DomainStatsDto> {
    const at = (text: string | undefined) => (text === undefined ? undefined : parseTimestamp(text));
    const { from, to } = statsWindow({ from: at(query.from), to: at(query.to) });
    const domain = found(await this.domains.find(caller.accountId, id));
    const stats = await this.stats.domainStats(caller.accountId, domain.id, { from, to });
    const counts = Object.fromEntries(STATS_COUNTERS.map((counter) => [counter, stats[counter]]));
    return {
      object: 'domain_stats',
      domain_id: domain.id,
      from: from.toISOString(),
      to: to.toISOString(),
      ...(counts as Record<StatsCounter, number>),
    };
  }

  private rotationBy({ accountId, keyId: actor }: Principal, id: string, action: string): RotationRequest {
    return {
      accountId,
      id,
      alongside: (tx) => this.audit.record(tx, { accountId, actor, action, target: id, facts: {} }),
    };
  }
}
