import { Controller, Get, Param, Post, Query } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import { WebhookEventLog, WebhookReplay } from '#libs/webhooks';
import { Caller } from '../../http/caller.js';
import { found } from '../found.js';
import { PageQuery } from '../list.dto.js';
import { QueryPipe } from '../query-pipe.js';
import { ResendIdPipe } from './resend-id-pipe.js';
import { resendList, resendPageRequest, type ResendList } from './resend-page.js';
import { RESEND, ResendRoute } from './resend-route.js';
import {
  resendWebhookAttempt,
  resendWebhookEvent,
  resendWebhookEventDetail,
  type ResendWebhookAttempt,
  type ResendWebhookEvent,
  type ResendWebhookEventDetail,
} from './resend-webhook.js';

const ID = new ResendIdPipe('wh');
const EVENT = new ResendIdPipe('evt');

@Controller(`${RESEND}/webhooks/:id/events`)
export class ResendWebhookEventsController {
  constructor(
    private readonly log: WebhookEventLog,
    private readonly replay: WebhookReplay,
  ) {}

  @Get()
  @ResendRoute('webhooks.read')
  async list(
    @Caller() caller: Principal,
    @Param('id', ID) id: string,
    @Query(QueryPipe) query: PageQuery,
  ): Promise<ResendList<ResendWebhookEvent>> {
    const page = resendPageRequest(query, 'evt');
    return resendList(found(await this.log.list(caller.accountId, id, { page })), resendWebhookEvent);
  }

  @Get(':eventId')
  @ResendRoute('webhooks.read')
  async find(
    @Caller() caller: Principal,
    @Param('id', ID) id: string,
    @Param('eventId', EVENT) eventId: string,
  ): Promise<ResendWebhookEventDetail> {
    return resendWebhookEventDetail(found(await this.log.find(caller.accountId, id, eventId)));
  }

  @Get(':eventId/attempts')
  @ResendRoute('webhooks.read')
  async attempts(
    @Caller() caller: Principal,
    @Param('id', ID) webhookId: string,
    @Param('eventId', EVENT) eventId: string,
    @Query(QueryPipe) query: PageQuery,
  ): Promise<ResendList<ResendWebhookAttempt>> {
    const page = resendPageRequest(query, 'atm');
    return resendList(
      found(await this.log.attempts(caller.accountId, { webhookId, eventId }, page)),
      resendWebhookAttempt,
    );
  }

  @Post(':eventId/replay')
  @ResendRoute('webhooks.write')
  async again(
    @Caller() caller: Principal,
    @Param('id', ID) id: string,
    @Param('eventId', EVENT) eventId: string,
  ): Promise<{ object: 'webhook_event'; id: string }> {
    found(await this.replay.one(caller.accountId, id, eventId));
    return { object: 'webhook_event', id: eventId };
  }
}
