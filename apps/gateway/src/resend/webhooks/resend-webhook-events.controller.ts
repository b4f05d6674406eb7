import { Controller, Get, Param, Post, Query } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import { WebhookDeliveryLog, WebhookReplay } from '#libs/webhooks';
import { Caller } from '../../http/caller.js';
import { orNotFound } from '../../rest/or-not-found.js';
import { PageQuery } from '../../rest/list.dto.js';
import { QueryPipe } from '../../rest/validation/query-pipe.js';
import { ResendIdPipe } from '../resend-id.js';
import { toResendList, resendPageRequest, type ResendList } from '../resend-list.js';
import { RESEND, ResendRoute } from '../resend-route.js';
import {
  toResendWebhookAttempt,
  toResendWebhookEvent,
  toResendWebhookEventDetail,
  type ResendWebhookAttempt,
  type ResendWebhookEvent,
  type ResendWebhookEventDetail,
} from './resend-webhook.js';

const ID = new ResendIdPipe('wh');
const EVENT = new ResendIdPipe('evt');

@Controller(`${RESEND}/webhooks/:id/events`)
export class ResendWebhookEventsController {
  constructor(
    private readonly log: WebhookDeliveryLog,
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
    return toResendList(orNotFound(await this.log.list(caller, id, { page })), toResendWebhookEvent);
  }

  @Get(':eventId')
  @ResendRoute('webhooks.read')
  async find(
    @Caller() caller: Principal,
    @Param('id', ID) id: string,
    @Param('eventId', EVENT) eventId: string,
  ): Promise<ResendWebhookEventDetail> {
    return toResendWebhookEventDetail(orNotFound(await this.log.find(caller, id, eventId)));
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
    return toResendList(
      orNotFound(await this.log.attempts(caller, { webhookId, eventId }, page)),
      toResendWebhookAttempt,
    );
  }

  @Post(':eventId/replay')
  @ResendRoute('webhooks.write')
  async again(
    @Caller() caller: Principal,
    @Param('id', ID) id: string,
    @Param('eventId', EVENT) eventId: string,
  ): Promise<{ object: 'webhook_event'; id: string }> {
    orNotFound(await this.replay.replayEvent(caller, id, eventId));
    return { object: 'webhook_event', id: eventId };
  }
}
