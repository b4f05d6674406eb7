import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import { Refusal } from '#libs/contracts';
import { WebhookSecrets, WebhookSubscriptions } from '#libs/webhooks';
import { Caller } from '../../http/caller.js';
import { BodyPipe } from '../../rest/validation/body-pipe.js';
import { orNotFound } from '../../rest/or-not-found.js';
import { PageQuery } from '../../rest/list.dto.js';
import { QueryPipe } from '../../rest/validation/query-pipe.js';
import { ResendIdPipe, type ResendReference, toResendReference } from '../resend-id.js';
import { toResendList, resendPageRequest, type ResendList } from '../resend-list.js';
import { RESEND, ResendRoute } from '../resend-route.js';
import { toResendWebhook, type ResendWebhook } from './resend-webhook.js';
import { ResendWebhookDto, toWebhookFields } from './resend-webhooks.dto.js';

type Reference = ResendReference<'webhook'>;

const ID = new ResendIdPipe('wh');
const referenceTo = (id: string): Reference => toResendReference('webhook', id);

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
  ): Promise<Reference & ResendWebhook & { signing_secret: string }> {
    const { changes, options } = toWebhookFields(dto);
    const { url, events } = changes;
    const { secret, ...webhook } = await this.webhooks.create(caller, { url, events }, options);
    return { object: 'webhook', ...toResendWebhook(webhook), signing_secret: secret };
  }

  @Get()
  @ResendRoute('webhooks.read')
  async list(@Caller() caller: Principal, @Query(QueryPipe) query: PageQuery): Promise<ResendList<ResendWebhook>> {
    return toResendList(await this.webhooks.page(caller, resendPageRequest(query, 'wh')), toResendWebhook);
  }

  /** Requires the write scope because the response contains the secret. */
  @Get(':id')
  @ResendRoute('webhooks.write')
  async find(
    @Caller() caller: Principal,
    @Param('id', ID) id: string,
  ): Promise<Reference & ResendWebhook & { signing_secret: string }> {
    const webhook = orNotFound(await this.webhooks.find(caller, id));
    const signing_secret = orNotFound(await this.secrets.reveal(caller, id));
    return { object: 'webhook', ...toResendWebhook(webhook), signing_secret };
  }

  @Patch(':id')
  @ResendRoute('webhooks.write')
  async update(
    @Caller() caller: Principal,
    @Param('id', ID) id: string,
    @Body(BodyPipe) dto: ResendWebhookDto,
  ): Promise<Reference> {
    orNotFound(await this.webhooks.update(caller, id, toWebhookFields(dto)));
    return referenceTo(id);
  }

  @Delete(':id')
  @ResendRoute('webhooks.write')
  async remove(@Caller() caller: Principal, @Param('id', ID) id: string): Promise<Reference & { deleted: true }> {
    if (!(await this.webhooks.remove(caller, id))) throw new Refusal('not_found');
    return { ...referenceTo(id), deleted: true };
  }

  @Post(':id/signing-secret/rotate')
  @ResendRoute('webhooks.write')
  async rotate(
    @Caller() caller: Principal,
    @Param('id', ID) id: string,
  ): Promise<Reference & { signing_secret: string }> {
    const { secret } = orNotFound(await this.secrets.rotate(caller, id));
    return { ...referenceTo(id), signing_secret: secret };
  }
}
