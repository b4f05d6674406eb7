import { Body, Controller, Delete, Get, Param, Patch, Post } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import { isId, LIMITS, Refusal } from '#libs/contracts';
import { SendingDomains } from '#libs/domains';
import {
  WEBHOOK_DOMAINS_MAXIMUM,
  WebhookReplay,
  WebhookSecrets,
  WebhookSubscriptions,
  type WebhookDoor,
} from '#libs/webhooks';
import { Caller } from '../http/caller.js';
import { RequiresScope } from '../http/route-access.js';
import { Operation } from '../openapi/operation.js';
import { BodyPipe } from './body-pipe.js';
import { found } from './found.js';
import { IdPipe } from './id-pipe.js';
import { WebhookEventDto } from './webhook-events.dto.js';
import {
  ChangeWebhookDto,
  CreatedWebhookDto,
  CreateWebhookDto,
  RotatedSecretDto,
  RotateSecretDto,
  WebhookDeletedDto,
  WebhookDto,
} from './webhooks.dto.js';

const TAG = 'Webhooks';
const PATH = new IdPipe({ id: 'wh' });

/** Endpoints for events (D-36…D-42); what was sent to them is in `webhook-events.controller.ts`. */
@Controller('webhooks')
export class WebhooksController {
  constructor(
    private readonly webhooks: WebhookSubscriptions,
    private readonly secrets: WebhookSecrets,
    private readonly replay: WebhookReplay,
    private readonly domains: SendingDomains,
  ) {}

  @Post()
  @RequiresScope('webhooks.write')
  @Operation({
    tag: TAG,
    summary: 'Create a webhook',
    description: `The answer shows the signing secret, which is never shown again. At most ${LIMITS.webhooksPerAccount} per account (409 beyond).`,
    answer: CreatedWebhookDto,
    status: 201,
    refuses: [400, 409],
  })
  async create(@Caller() caller: Principal, @Body(BodyPipe) dto: CreateWebhookDto): Promise<CreatedWebhookDto> {
    const fields = { url: urlOf(dto) as string, events: dto.events, domainIds: dto.domain_ids };
    return this.webhooks.create(caller.accountId, fields, await this.door(caller, dto));
  }

  @Get()
  @RequiresScope('webhooks.read')
  @Operation({
    tag: TAG,
    summary: 'List webhooks',
    description: 'All of them, newest first, without their secrets.',
    answer: [WebhookDto],
  })
  list(@Caller() caller: Principal): Promise<WebhookDto[]> {
    return this.webhooks.list(caller.accountId);
  }

  @Get(':id')
  @RequiresScope('webhooks.read')
  @Operation({ tag: TAG, summary: 'Get a webhook', answer: WebhookDto, refuses: [404] })
  async find(@Caller() caller: Principal, @Param('id', PATH) id: string): Promise<WebhookDto> {
    return found(await this.webhooks.find(caller.accountId, id));
  }

  @Patch(':id')
  @RequiresScope('webhooks.write')
  @Operation({
    tag: TAG,
    summary: 'Change a webhook',
    description:
      'Changes what is given. Retries of earlier events go to the new address. When a webhook is disabled, in whatever ' +
      "way, the account's other webhooks get `webhook.disabled`.",
    answer: WebhookDto,
    refuses: [400, 404],
  })
  async change(
    @Caller() caller: Principal,
    @Param('id', PATH) id: string,
    @Body(BodyPipe) dto: ChangeWebhookDto,
  ): Promise<WebhookDto> {
    const { events, domain_ids: domainIds, status } = dto;
    const changes = { url: urlOf(dto), events, domainIds, status, door: await this.door(caller, dto) };
    return found(await this.webhooks.update(caller.accountId, id, changes));
  }

  @Delete(':id')
  @RequiresScope('webhooks.write')
  @Operation({
    tag: TAG,
    summary: 'Delete a webhook',
    description: 'Together with what waits for it.',
    answer: WebhookDeletedDto,
    refuses: [404],
  })
  async remove(@Caller() caller: Principal, @Param('id', PATH) id: string): Promise<WebhookDeletedDto> {
    if (!(await this.webhooks.remove(caller.accountId, id))) throw new Refusal('not_found');
    return { object: 'webhook', id, deleted: true };
  }

  @Post(':id/test')
  @RequiresScope('webhooks.write')
  @Operation({
    tag: TAG,
    summary: 'Send a test event',
    description:
      'A `webhook.test` to this webhook alone, whatever kinds it listens to. What came of it is at ' +
      '`GET /webhooks/:id/events/:eventId`. A disabled webhook is not called (409).',
    answer: WebhookEventDto,
    status: 201,
    refuses: [404, 409],
  })
  async test(@Caller() caller: Principal, @Param('id', PATH) id: string): Promise<WebhookEventDto> {
    return found(await this.replay.test(caller.accountId, id));
  }

  @Post(':id/signing-secret/rotate')
  @RequiresScope('webhooks.write')
  @Operation({
    tag: TAG,
    summary: 'Rotate the signing secret',
    description:
      'The new secret signs at once. The old one signs beside it for `overlap_hours`, so that receivers can change ' +
      'over without refusing anything.',
    answer: RotatedSecretDto,
    refuses: [400, 404],
  })
  async rotate(
    @Caller() caller: Principal,
    @Param('id', PATH) id: string,
    @Body(BodyPipe) dto: RotateSecretDto,
  ): Promise<RotatedSecretDto> {
    return found(await this.secrets.rotate(caller.accountId, id, dto.overlap_hours));
  }

  /** A foreign domain is answered as one that does not exist. */
  private async door({ accountId }: Principal, dto: CreateWebhookDto | ChangeWebhookDto): Promise<WebhookDoor> {
    const ownDomains = new Set<string>();
    // What is no list of ids, or too long a one, is refused for that.
    const asked: unknown[] = Array.isArray(dto.domain_ids) ? dto.domain_ids.slice(0, WEBHOOK_DOMAINS_MAXIMUM) : [];
    for (const id of asked) {
      // One after the other: a hundred at once would take the connections from everybody else.
      if (typeof id === 'string' && isId('dom', id) && (await this.domains.find(accountId, id))) ownDomains.add(id);
    }
    const urlField = dto.url === undefined && dto.endpoint !== undefined ? 'endpoint' : 'url';
    return { flavour: 'native', urlField, ownDomains };
  }
}

function urlOf({ url, endpoint }: { url?: string; endpoint?: string }): string | undefined {
  return url === undefined ? endpoint : url;
}
