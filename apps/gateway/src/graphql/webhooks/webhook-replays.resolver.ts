import { Args, ID, Mutation, Query, Resolver } from '@nestjs/graphql';
import type { Principal } from '#libs/accounts';
import { isId } from '#libs/contracts';
import { RUNNING_REPLAYS, WebhookRangeReplays } from '#libs/webhooks';
import { pageRequest } from '../../rest/list.dto.js';
import { orNotFound, requireIds } from '../../rest/or-not-found.js';
import type { ReplayDto, ReplayStateDto } from '../../rest/webhooks/webhook-events.dto.js';
import { replayRange, WebhookReplaysController } from '../../rest/webhooks/webhook-replays.controller.js';
import { PageArgs, pageParameters, toConnection, type Connection } from '../connection.js';
import { dtoOf } from '../dto/input-type.js';
import { CallerOf } from '../graphql-caller.js';
import { fieldIdempotency, IDEMPOTENCY_KEY } from '../idempotency.js';
import { ReplayWebhookInput, WebhookReplayConnection, WebhookReplayType } from './webhook.type.js';

const ID_OF_WEBHOOK = { type: () => ID, description: 'The id of the webhook' };
const ID_OF_REPLAY = { type: () => ID, description: 'The id of the replay' };

/** Replays of the events of a time range. */
@Resolver(() => WebhookReplayType)
export class WebhookReplaysResolver {
  constructor(private readonly replays: WebhookRangeReplays) {}

  @Query(() => WebhookReplayConnection, {
    description: 'The replays of a webhook, newest first; ended replays are kept for 30 days.',
  })
  async webhookReplays(
    @CallerOf(WebhookReplaysController, 'list') caller: Principal,
    @Args('webhookId', ID_OF_WEBHOOK) webhookId: string,
    @Args() page: PageArgs,
  ): Promise<Connection<ReplayStateDto>> {
    requireIds({ wh: webhookId });
    const request = pageRequest(pageParameters(page), 'rpl');
    return toConnection(orNotFound(await this.replays.list(caller, webhookId, request)), page);
  }

  @Query(() => WebhookReplayType, {
    nullable: true,
    description: 'A replay with its progress. Null if the webhook has no such replay.',
  })
  async webhookReplay(
    @CallerOf(WebhookReplaysController, 'find') caller: Principal,
    @Args('webhookId', ID_OF_WEBHOOK) webhookId: string,
    @Args('replayId', ID_OF_REPLAY) replayId: string,
  ): Promise<ReplayStateDto | null> {
    return isId('wh', webhookId) && isId('rpl', replayId) ? this.replays.find(caller, webhookId, replayId) : null;
  }

  @Mutation(() => WebhookReplayType, {
    description:
      'Starts to send the events of a time range again in the background, oldest first. The same call while the replay ' +
      `runs returns that replay. At most ${RUNNING_REPLAYS} replays of a webhook run at the same time: \`conflict\`. A ` +
      'disabled webhook is not called: `conflict`.',
  })
  async replayWebhook(
    @CallerOf(WebhookReplaysController, 'start') caller: Principal,
    @Args('id', ID_OF_WEBHOOK) id: string,
    @Args('input', { type: () => ReplayWebhookInput, description: 'The range' }) input: ReplayDto,
    @Args('idempotencyKey', IDEMPOTENCY_KEY) idempotencyKey?: string | null,
  ): Promise<ReplayStateDto> {
    requireIds({ wh: id });
    const range = replayRange(dtoOf(ReplayWebhookInput, input));
    const field = `replayWebhook:${id}`;
    const idempotency = await fieldIdempotency(idempotencyKey, { caller, field, inputs: [input] });
    return orNotFound(await this.replays.start(caller, id, { range, idempotency })).replay;
  }

  @Mutation(() => WebhookReplayType, {
    description: 'Stops a replay: no further events are queued; those already queued are sent.',
  })
  async cancelWebhookReplay(
    @CallerOf(WebhookReplaysController, 'cancel') caller: Principal,
    @Args('webhookId', ID_OF_WEBHOOK) webhookId: string,
    @Args('replayId', ID_OF_REPLAY) replayId: string,
  ): Promise<ReplayStateDto> {
    requireIds({ wh: webhookId, rpl: replayId });
    return orNotFound(await this.replays.cancel(caller, webhookId, replayId));
  }
}
