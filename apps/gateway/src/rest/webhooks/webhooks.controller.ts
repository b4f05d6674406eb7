import { Body, Controller, Delete, Get, Param, Patch, Post } from '@nestjs/common';
import { ApiBody } from '@nestjs/swagger';
import type { Principal } from '#libs/accounts';
import { isId, LIMITS, Refusal } from '#libs/contracts';
import { SendingDomains } from '#libs/domains';
import {
  webhook,
  WebhookFigures,
  WebhookReplay,
  WebhookSecrets,
  WebhookSubscriptions,
  type WebhookInputOptions,
  type WebhookSettings,
} from '#libs/webhooks';
import { Caller } from '../../http/caller.js';
import { RequiresScope } from '../../http/route-access.js';
import { exampleId } from '../../openapi/properties.js';
import { Operation } from '../../openapi/operation.js';
import { BodyPipe } from '../validation/body-pipe.js';
import { IdPipe, orNotFound } from '../or-not-found.js';
import { WebhookEventDto } from './webhook-events.dto.js';
import {
  ChangeWebhookDto,
  CreatedWebhookDto,
  CreateWebhookDto,
  RotatedSecretDto,
  RotateSecretDto,
  WebhookDeletedDto,
  WebhookDetailDto,
  WebhookDto,
} from './webhooks.dto.js';

const TAG = 'Webhooks';
const PATH = new IdPipe({ id: 'wh' });
const DOMAINS_MAXIMUM = webhook.fields.domain_ids.input?.schema.maxItems;

/** Webhook subscriptions. Their events are in `webhook-events.controller.ts`. */
@Controller('webhooks')
export class WebhooksController {
  constructor(
    private readonly webhooks: WebhookSubscriptions,
    private readonly secrets: WebhookSecrets,
    private readonly replay: WebhookReplay,
    private readonly figures: WebhookFigures,
    private readonly domains: SendingDomains,
  ) {}

  @Post()
  @RequiresScope('webhooks.write')
  @ApiBody({
    type: CreateWebhookDto,
    examples: {
      all: { summary: 'All events', value: { url: 'https://example.com/hooks/mail', events: ['*'] } },
      some: {
        summary: 'Some events of one domain',
        value: {
          url: 'https://example.com/hooks/mail',
          events: ['email.delivered', 'email.bounced', 'email.complained'],
          domain_ids: [exampleId('dom')],
        },
      },
    },
  })
  @Operation({
    tag: TAG,
    summary: 'Create a webhook',
    description: `The response contains the signing secret, which is returned only once. At most ${LIMITS.webhooksPerAccount} per account, otherwise 409.`,
    response: CreatedWebhookDto,
    status: 201,
    errors: [400, 409],
  })
  async create(@Caller() caller: Principal, @Body(BodyPipe) dto: CreateWebhookDto): Promise<CreatedWebhookDto> {
    return this.webhooks.create(caller, settingsOf(dto), await this.contextOf(caller, dto));
  }

  @Get()
  @RequiresScope('webhooks.read')
  @Operation({
    tag: TAG,
    summary: 'List webhooks',
    description: 'All webhooks, newest first, without their secrets.',
    response: [WebhookDto],
  })
  list(@Caller() caller: Principal): Promise<WebhookDto[]> {
    return this.webhooks.list(caller);
  }

  @Get(':id')
  @RequiresScope('webhooks.read')
  @Operation({
    tag: TAG,
    summary: 'Get a webhook',
    description: 'With figures on its deliveries, which the list does not contain.',
    response: WebhookDetailDto,
    errors: [404],
  })
  async find(@Caller() caller: Principal, @Param('id', PATH) id: string): Promise<WebhookDetailDto> {
    const found = orNotFound(await this.webhooks.find(caller, id));
    return { ...found, delivery: await this.figures.of(id) };
  }

  @Patch(':id')
  @RequiresScope('webhooks.write')
  @ApiBody({
    type: ChangeWebhookDto,
    examples: {
      enable: { summary: 'Enable', value: { status: 'enabled' } },
      url: { summary: 'Another URL', value: { url: 'https://example.com/hooks/mail-2' } },
      events: { summary: 'Other events', value: { events: ['email.bounced'], domain_ids: null, include_bots: true } },
    },
  })
  @Operation({
    tag: TAG,
    summary: 'Change a webhook',
    description:
      'Absent fields are not changed. Retries of earlier events go to the new URL. Whenever a webhook is disabled, by ' +
      "request or automatically, the account's other webhooks receive `webhook.disabled`.",
    response: WebhookDto,
    errors: [400, 404],
  })
  async change(
    @Caller() caller: Principal,
    @Param('id', PATH) id: string,
    @Body(BodyPipe) dto: ChangeWebhookDto,
  ): Promise<WebhookDto> {
    const options = await this.contextOf(caller, dto);
    return orNotFound(await this.webhooks.update(caller, id, { changes: settingsOf(dto), options }));
  }

  @Delete(':id')
  @RequiresScope('webhooks.write')
  @Operation({
    tag: TAG,
    summary: 'Delete a webhook',
    description: 'Deletes the webhook and its pending events.',
    response: WebhookDeletedDto,
    errors: [404],
  })
  async remove(@Caller() caller: Principal, @Param('id', PATH) id: string): Promise<WebhookDeletedDto> {
    if (!(await this.webhooks.remove(caller, id))) throw new Refusal('not_found');
    return { object: 'webhook', id, deleted: true };
  }

  @Post(':id/test')
  @RequiresScope('webhooks.write')
  @Operation({
    tag: TAG,
    summary: 'Send a test event',
    description:
      'Sends `webhook.test` to this webhook alone, whatever event types it receives. The result is available at ' +
      '`GET /webhooks/:id/events/:eventId`. A disabled webhook is not called (409).',
    response: WebhookEventDto,
    status: 201,
    errors: [404, 409],
  })
  async test(@Caller() caller: Principal, @Param('id', PATH) id: string): Promise<WebhookEventDto> {
    return orNotFound(await this.replay.sendTest(caller, id));
  }

  @Post(':id/signing-secret/rotate')
  @RequiresScope('webhooks.write')
  @ApiBody({
    type: RotateSecretDto,
    examples: {
      overlap: { summary: 'Old secret valid for a day', value: { overlap_hours: 24 } },
      atOnce: { summary: 'Old secret invalid at once', value: { overlap_hours: 0 } },
    },
  })
  @Operation({
    tag: TAG,
    summary: 'Rotate the signing secret',
    description:
      'Calls are signed with the new secret at once, and also with the old one for `overlap_hours`, so that receivers ' +
      'can switch without refusing calls.',
    response: RotatedSecretDto,
    errors: [400, 404],
  })
  async rotate(
    @Caller() caller: Principal,
    @Param('id', PATH) id: string,
    @Body(BodyPipe) dto: RotateSecretDto,
  ): Promise<RotatedSecretDto> {
    return orNotFound(await this.secrets.rotate(caller, id, dto.overlap_hours));
  }

  /** The context in which the fields are validated. A domain that the key does not see counts as one that does not exist. */
  private async contextOf(caller: Principal, dto: CreateWebhookDto | ChangeWebhookDto): Promise<WebhookInputOptions> {
    const ownDomains = new Set<string>();
    // A value that is not a list of ids, or is too long, is refused by the validation of the field.
    const given: unknown[] = Array.isArray(dto.domain_ids) ? dto.domain_ids.slice(0, DOMAINS_MAXIMUM) : [];
    for (const id of given) {
      // Sequential, because a hundred parallel queries would occupy the connection pool.
      if (typeof id === 'string' && isId('dom', id) && (await this.domains.find(caller, id))) ownDomains.add(id);
    }
    const urlField = dto.url === undefined && dto.endpoint !== undefined ? 'endpoint' : 'url';
    return { payloadFormat: 'native', urlField, ownDomains };
  }
}

const settingsOf = ({ endpoint, url = endpoint, ...others }: ChangeWebhookDto): WebhookSettings => ({ url, ...others });
