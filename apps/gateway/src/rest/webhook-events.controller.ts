import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import { parseTimestamp } from '#libs/contracts';
import { REPLAY_LIMIT, WebhookEventLog, WebhookReplay } from '#libs/webhooks';
import { Caller } from '../http/caller.js';
import { RequiresScope } from '../http/route-access.js';
import { Operation } from '../openapi/operation.js';
import { BodyPipe } from './body-pipe.js';
import { found } from './found.js';
import { IdPipe } from './id-pipe.js';
import { pageRequest, PageQuery } from './list.dto.js';
import { QueryPipe } from './query-pipe.js';
import {
  ReplayDto,
  ReplayedDto,
  WebhookAttemptList,
  WebhookEventDetailDto,
  WebhookEventDto,
  WebhookEventList,
  WebhookEventPath,
  WebhookEventsQuery,
} from './webhook-events.dto.js';

const TAG = 'Webhooks';
const PATH = new IdPipe({ id: 'wh', eventId: 'evt' });
const DISABLED = 'A disabled webhook is not called (409).';

/** What was sent to an endpoint, and once more (D-39). */
@Controller('webhooks/:id')
export class WebhookEventsController {
  constructor(
    private readonly log: WebhookEventLog,
    private readonly replay: WebhookReplay,
  ) {}

  @Get('events')
  @RequiresScope('webhooks.read')
  @Operation({
    tag: TAG,
    summary: 'List the events of a webhook',
    description: 'The events of the last 30 days and what became of them, newest first.',
    answer: WebhookEventList,
    refuses: [400, 404],
  })
  async list(
    @Caller() caller: Principal,
    @Param('id', PATH) id: string,
    @Query(QueryPipe) query: WebhookEventsQuery,
  ): Promise<WebhookEventList> {
    const filter = {
      status: query.status,
      types: query.type === undefined ? undefined : [query.type],
      createdAfter: timeOf(query.created_after),
      createdBefore: timeOf(query.created_before),
    };
    return found(await this.log.list(caller.accountId, id, { filter, page: pageRequest(query, 'evt') }));
  }

  @Get('events/:eventId')
  @RequiresScope('webhooks.read')
  @Operation({
    tag: TAG,
    summary: 'Get an event of a webhook',
    description: 'With the body of its calls.',
    answer: WebhookEventDetailDto,
    refuses: [404],
  })
  async find(
    @Caller() caller: Principal,
    @Param('id', PATH) id: string,
    @Param('eventId', PATH) eventId: string,
  ): Promise<WebhookEventDetailDto> {
    return found(await this.log.find(caller.accountId, id, eventId));
  }

  @Get('events/:eventId/attempts')
  @RequiresScope('webhooks.read')
  @Operation({
    tag: TAG,
    summary: 'List the calls of an event',
    description: 'Every call that was made for the event, newest first, with the first 4 KiB of its answer.',
    answer: WebhookAttemptList,
    refuses: [400, 404],
  })
  async attempts(
    @Caller() caller: Principal,
    @Param(PATH) { id, eventId }: WebhookEventPath,
    @Query(QueryPipe) query: PageQuery,
  ): Promise<WebhookAttemptList> {
    const page = pageRequest(query, 'atm');
    return found(await this.log.attempts(caller.accountId, { webhookId: id, eventId }, page));
  }

  @Post('events/:eventId/replay')
  @RequiresScope('webhooks.write')
  @Operation({
    tag: TAG,
    summary: 'Send an event again',
    description: `At once, with the same id and body, and with all retries before it. ${DISABLED}`,
    answer: WebhookEventDto,
    refuses: [404, 409],
  })
  async again(
    @Caller() caller: Principal,
    @Param('id', PATH) id: string,
    @Param('eventId', PATH) eventId: string,
  ): Promise<WebhookEventDto> {
    return found(await this.replay.one(caller.accountId, id, eventId));
  }

  @Post('replay')
  @RequiresScope('webhooks.write')
  @Operation({
    tag: TAG,
    summary: 'Send the events of a time again',
    description:
      `Oldest first, at most ${REPLAY_LIMIT} a call: while \`has_more\` is true, call again with \`next_cursor\` as ` +
      `\`after\`. Receivers know repeated events by their id. ${DISABLED}`,
    answer: ReplayedDto,
    refuses: [400, 404, 409],
  })
  async range(
    @Caller() caller: Principal,
    @Param('id', PATH) id: string,
    @Body(BodyPipe) dto: ReplayDto,
  ): Promise<ReplayedDto> {
    const range = {
      createdAfter: timeOf(dto.from),
      createdBefore: timeOf(dto.to),
      types: dto.types,
      status: dto.status,
      after: dto.after,
    };
    return found(await this.replay.range(caller.accountId, id, range));
  }
}

/** The rules have seen that it is one. */
function timeOf(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : (parseTimestamp(text) ?? undefined);
}
