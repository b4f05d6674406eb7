import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import { Refusal } from '#libs/contracts';
import { WebhookSecrets, WebhookSubscriptions } from '#libs/webhooks';
import { Caller } from '../../http/caller.js';
import { BodyPipe } from '../body-pipe.js';
import { found } from '../found.js';
import { PageQuery } from '../list.dto.js';
import { QueryPipe } from '../query-pipe.js';
import { ResendIdPipe } from './resend-id-pipe.js';
import { toResendId } from './resend-id.js';
import { resendList, resendPageRequest, type ResendList } from './resend-page.js';
import { RESEND, ResendRoute } from './resend-route.js';
import { resendWebhook, type ResendWebhook } from './resend-webhook.js';
import { ResendWebhookDto, resendWebhookFields } from './resend-webhooks.dto.js';

interface Named {
  object: 'webhook';
  id: string;
}

const ID = new ResendIdPipe('wh');
const named = (id: string): Named => ({ object: 'webhook', id: toResendId(id) });

@Controller(`${RESEND}/webhooks`)
export class ResendWebhooksController {
  constructor(
    private readonly webhooks: WebhookSubscriptions,
    private readonly secrets: WebhookSecrets,
  ) {}

  @Post()
  @ResendRoute('webhooks.write')
  async create(
    @Caller() caller: Principal,
    @Body(BodyPipe) dto: ResendWebhookDto,
  ): Promise<Named & ResendWebhook & { signing_secret: string }> {
    const { door, url, events } = resendWebhookFields(dto);
    // Typed as given, judged as if they were not.
    const fields = { url: url as string, events: events as string[] };
    const { secret, ...webhook } = await this.webhooks.create(caller.accountId, fields, door);
    return { object: 'webhook', ...resendWebhook(webhook), signing_secret: secret };
  }

  @Get()
  @ResendRoute('webhooks.read')
  async list(@Caller() caller: Principal, @Query(QueryPipe) query: PageQuery): Promise<ResendList<ResendWebhook>> {
    return resendList(await this.webhooks.page(caller.accountId, resendPageRequest(query, 'wh')), resendWebhook);
  }

  /** Shows the secret, which reading alone does not entitle to. */
  @Get(':id')
  @ResendRoute('webhooks.write')
  async find(
    @Caller() { accountId }: Principal,
    @Param('id', ID) id: string,
  ): Promise<Named & ResendWebhook & { signing_secret: string }> {
    const webhook = found(await this.webhooks.find(accountId, id));
    const signing_secret = found(await this.secrets.reveal(accountId, id));
    return { object: 'webhook', ...resendWebhook(webhook), signing_secret };
  }

  @Patch(':id')
  @ResendRoute('webhooks.write')
  async update(
    @Caller() caller: Principal,
    @Param('id', ID) id: string,
    @Body(BodyPipe) dto: ResendWebhookDto,
  ): Promise<Named> {
    found(await this.webhooks.update(caller.accountId, id, resendWebhookFields(dto)));
    return named(id);
  }

  @Delete(':id')
  @ResendRoute('webhooks.write')
  async remove(@Caller() caller: Principal, @Param('id', ID) id: string): Promise<Named & { deleted: true }> {
    if (!(await this.webhooks.remove(caller.accountId, id))) throw new Refusal('not_found');
    return { ...named(id), deleted: true };
  }

  @Post(':id/signing-secret/rotate')
  @ResendRoute('webhooks.write')
  async rotate(@Caller() caller: Principal, @Param('id', ID) id: string): Promise<Named & { signing_secret: string }> {
    const { secret } = found(await this.secrets.rotate(caller.accountId, id));
    return { ...named(id), signing_secret: secret };
  }
}
