import { Body, Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody } from '@nestjs/swagger';
import type { Principal } from '#libs/accounts';
import { RUNNING_REPLAYS, WebhookRangeReplays } from '#libs/webhooks';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Caller } from '../../http/caller.js';
import { RequiresScope } from '../../http/route-access.js';
import { Operation } from '../../openapi/operation.js';
import { markReplayed, requestIdempotency } from '../emails/idempotency.js';
import { pageRequest } from '../list.dto.js';
import { IdPipe, orNotFound } from '../or-not-found.js';
import { BodyPipe } from '../validation/body-pipe.js';
import { QueryPipe } from '../validation/query-pipe.js';
import { instantOf } from '../validation/query-rules.js';
import { ReplayDto, ReplayList, ReplayPath, ReplaysQuery, ReplayStateDto } from './webhook-events.dto.js';

const TAG = 'Webhooks';
const PATH = new IdPipe({ id: 'wh', replayId: 'rpl' });

/** Replays of the events of a time range. */
@Controller('webhooks/:id')
export class WebhookReplaysController {
  constructor(private readonly replays: WebhookRangeReplays) {}

  @Post('replay')
  @RequiresScope('webhooks.write')
  @ApiBody({
    type: ReplayDto,
    examples: {
      failed: {
        summary: 'Failed events of one hour',
        value: { from: '2026-01-31T09:30:00Z', to: '2026-01-31T10:30:00Z', status: 'failed' },
      },
      types: { summary: 'All bounces since a time', value: { from: '2026-01-31T09:30:00Z', types: ['email.bounced'] } },
    },
  })
  @Operation({
    tag: TAG,
    summary: 'Replay the events of a time range',
    description:
      'Starts a replay in the background, oldest events first, each with the same id and body and with a full set of ' +
      'retries. New events are sent meanwhile: a replay waits while 500 events are due. The same request while the replay ' +
      'runs returns that replay. Receivers recognise repeated events by their id. At most ' +
      `${RUNNING_REPLAYS} replays of a webhook run at the same time (409). A disabled webhook is not called (409).`,
    response: ReplayStateDto,
    status: 202,
    errors: [400, 404, 409],
    idempotent: true,
  })
  async start(
    @Caller() caller: Principal,
    @Param('id', PATH) id: string,
    @Body(BodyPipe) dto: ReplayDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ReplayStateDto> {
    const idempotency = requestIdempotency(request, caller, `webhooks.replay:${id}`);
    const started = orNotFound(await this.replays.start(caller, id, { range: replayRange(dto), idempotency }));
    markReplayed(reply, started);
    return started.replay;
  }

  @Get('replays')
  @RequiresScope('webhooks.read')
  @Operation({
    tag: TAG,
    summary: 'List the replays of a webhook',
    description: 'Newest first; ended replays are kept for 30 days.',
    response: ReplayList,
    errors: [400, 404],
  })
  async list(
    @Caller() caller: Principal,
    @Param('id', PATH) id: string,
    @Query(QueryPipe) query: ReplaysQuery,
  ): Promise<ReplayList> {
    return orNotFound(await this.replays.list(caller, id, pageRequest(query, 'rpl')));
  }

  @Get('replays/:replayId')
  @RequiresScope('webhooks.read')
  @Operation({
    tag: TAG,
    summary: 'Get a replay',
    description: 'With its progress.',
    response: ReplayStateDto,
    errors: [404],
  })
  async find(@Caller() caller: Principal, @Param(PATH) { id, replayId }: ReplayPath): Promise<ReplayStateDto> {
    return orNotFound(await this.replays.find(caller, id, replayId));
  }

  @Post('replays/:replayId/cancel')
  @RequiresScope('webhooks.write')
  @Operation({
    tag: TAG,
    summary: 'Cancel a replay',
    description: 'No further events are queued; those already queued are sent. A replay that has ended stays as it is.',
    response: ReplayStateDto,
    errors: [404],
  })
  async cancel(@Caller() caller: Principal, @Param(PATH) { id, replayId }: ReplayPath): Promise<ReplayStateDto> {
    return orNotFound(await this.replays.cancel(caller, id, replayId));
  }
}

/** The events to replay, of a valid body. */
export const replayRange = ({ from, to, types, status, after }: ReplayDto) => ({
  from: instantOf(from) as Date,
  to: instantOf(to),
  types,
  status,
  after,
});
