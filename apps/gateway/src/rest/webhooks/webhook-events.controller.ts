import { Controller, Get, Param, Post, Query } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import { WebhookReplay, WebhookDeliveryLog } from '#libs/webhooks';
import { Caller } from '../../http/caller.js';
import { RequiresScope } from '../../http/route-access.js';
import { Operation } from '../../openapi/operation.js';
import { pageRequest } from '../list.dto.js';
import { IdPipe, orNotFound } from '../or-not-found.js';
import { QueryPipe } from '../validation/query-pipe.js';
import { toDeliveryFilter } from './delivery-filter.js';
import {
  WebhookAttemptList,
  WebhookAttemptsQuery,
  WebhookEventDetailDto,
  WebhookEventDto,
  WebhookEventList,
  WebhookEventPath,
  WebhookEventsQuery,
} from './webhook-events.dto.js';

const TAG = 'Webhooks';
const PATH = new IdPipe({ id: 'wh', eventId: 'evt' });
const DISABLED = 'A disabled webhook is not called (409).';

/** The events sent to a webhook. Replays of a time range are in `webhook-replays.controller.ts`. */
@Controller('webhooks/:id')
export class WebhookEventsController {
  constructor(
    private readonly log: WebhookDeliveryLog,
    private readonly replay: WebhookReplay,
  ) {}

  @Get('events')
  @RequiresScope('webhooks.read')
  @Operation({
    tag: TAG,
    summary: 'List the events of a webhook',
    description: 'The events of the last 30 days and their delivery status, newest first.',
    response: WebhookEventList,
    errors: [400, 404],
  })
  async list(
    @Caller() caller: Principal,
    @Param('id', PATH) id: string,
    @Query(QueryPipe) query: WebhookEventsQuery,
  ): Promise<WebhookEventList> {
    return orNotFound(
      await this.log.list(caller, id, { filter: toDeliveryFilter(query), page: pageRequest(query, 'evt') }),
    );
  }

  @Get('events/:eventId')
  @RequiresScope('webhooks.read')
  @Operation({
    tag: TAG,
    summary: 'Get an event of a webhook',
    description: 'With the body of its calls.',
    response: WebhookEventDetailDto,
    errors: [404],
  })
  async find(
    @Caller() caller: Principal,
    @Param('id', PATH) id: string,
    @Param('eventId', PATH) eventId: string,
  ): Promise<WebhookEventDetailDto> {
    return orNotFound(await this.log.find(caller, id, eventId));
  }

  @Get('events/:eventId/attempts')
  @RequiresScope('webhooks.read')
  @Operation({
    tag: TAG,
    summary: 'List the calls of an event',
    description: 'All calls made for the event, newest first, with the first 4 KiB of each response.',
    response: WebhookAttemptList,
    errors: [400, 404],
  })
  async attempts(
    @Caller() caller: Principal,
    @Param(PATH) { id, eventId }: WebhookEventPath,
    @Query(QueryPipe) query: WebhookAttemptsQuery,
  ): Promise<WebhookAttemptList> {
    const page = pageRequest(query, 'atm');
    return orNotFound(await this.log.attempts(caller, { webhookId: id, eventId }, page));
  }

  @Post('events/:eventId/replay')
  @RequiresScope('webhooks.write')
  @Operation({
    tag: TAG,
    summary: 'Replay an event',
    description: `Sends the event at once, with the same id and body, and with a full set of retries. ${DISABLED}`,
    response: WebhookEventDto,
    errors: [404, 409],
  })
  async again(
    @Caller() caller: Principal,
    @Param('id', PATH) id: string,
    @Param('eventId', PATH) eventId: string,
  ): Promise<WebhookEventDto> {
    return orNotFound(await this.replay.replayEvent(caller, id, eventId));
  }
}
