import { Args, ID, Mutation, Resolver } from '@nestjs/graphql';
import type { Principal } from '#libs/accounts';
import { LIMITS } from '#libs/contracts';
import { WebhookEventsController } from '../../rest/webhooks/webhook-events.controller.js';
import type { WebhookEventDto } from '../../rest/webhooks/webhook-events.dto.js';
import { WebhooksController } from '../../rest/webhooks/webhooks.controller.js';
import type {
  ChangeWebhookDto,
  CreatedWebhookDto,
  CreateWebhookDto,
  RotatedSecretDto,
  RotateSecretDto,
  WebhookDto,
} from '../../rest/webhooks/webhooks.dto.js';
import { requireIds } from '../../rest/or-not-found.js';
import { DeletedType } from '../deleted.type.js';
import { dtoOf } from '../dto/input-type.js';
import { CallerOf } from '../graphql-caller.js';
import {
  CreatedWebhookType,
  CreateWebhookInput,
  RotatedSecretType,
  RotateWebhookSecretInput,
  UpdateWebhookInput,
  WebhookDeliveryType,
  WebhookType,
} from './webhook.type.js';

const ID_OF_WEBHOOK = { type: () => ID, description: 'The id of the webhook' };
const DISABLED = 'A disabled webhook is not called: `conflict`.';

/** Changes of webhooks, and calls on demand. */
@Resolver(() => WebhookType)
export class WebhookChangesResolver {
  constructor(
    private readonly rest: WebhooksController,
    private readonly events: WebhookEventsController,
  ) {}

  @Mutation(() => CreatedWebhookType, {
    description: `Creates a webhook. Its \`secret\` is returned only once. At most ${LIMITS.webhooksPerAccount} per account.`,
  })
  createWebhook(
    @CallerOf(WebhooksController, 'create') caller: Principal,
    @Args('input', { type: () => CreateWebhookInput, description: 'The webhook' }) input: CreateWebhookDto,
  ): Promise<CreatedWebhookDto> {
    return this.rest.create(caller, dtoOf(CreateWebhookInput, input));
  }

  @Mutation(() => WebhookType, { description: 'Changes a webhook. Retries of earlier events go to the new URL.' })
  async updateWebhook(
    @CallerOf(WebhooksController, 'change') caller: Principal,
    @Args('id', ID_OF_WEBHOOK) id: string,
    @Args('input', { type: () => UpdateWebhookInput, description: 'The changes' }) input: ChangeWebhookDto,
  ): Promise<WebhookDto> {
    requireIds({ wh: id });
    return this.rest.change(caller, id, dtoOf(UpdateWebhookInput, input));
  }

  @Mutation(() => DeletedType, { description: 'Deletes the webhook and its pending events.' })
  async deleteWebhook(
    @CallerOf(WebhooksController, 'remove') caller: Principal,
    @Args('id', ID_OF_WEBHOOK) id: string,
  ): Promise<DeletedType> {
    requireIds({ wh: id });
    return this.rest.remove(caller, id);
  }

  @Mutation(() => RotatedSecretType, {
    description:
      'Rotates the signing secret. Calls are signed with the new secret at once, and also with the old one for ' +
      '`overlapHours`.',
  })
  async rotateWebhookSecret(
    @CallerOf(WebhooksController, 'rotate') caller: Principal,
    @Args('id', ID_OF_WEBHOOK) id: string,
    @Args('input', { type: () => RotateWebhookSecretInput, nullable: true, description: 'How to rotate it' })
    input?: RotateSecretDto | null,
  ): Promise<RotatedSecretDto> {
    requireIds({ wh: id });
    return this.rest.rotate(caller, id, dtoOf(RotateWebhookSecretInput, input));
  }

  @Mutation(() => WebhookDeliveryType, {
    description: `Sends \`webhook.test\` to this webhook alone, whatever event types it receives. ${DISABLED}`,
  })
  async testWebhook(
    @CallerOf(WebhooksController, 'test') caller: Principal,
    @Args('id', ID_OF_WEBHOOK) id: string,
  ): Promise<WebhookEventDto> {
    requireIds({ wh: id });
    return this.rest.test(caller, id);
  }

  @Mutation(() => WebhookDeliveryType, {
    description: `Sends one event again, with the same id and body, and with a full set of retries. ${DISABLED}`,
  })
  async replayWebhookEvent(
    @CallerOf(WebhookEventsController, 'again') caller: Principal,
    @Args('webhookId', ID_OF_WEBHOOK) webhookId: string,
    @Args('eventId', { type: () => ID, description: 'The id of the event' }) eventId: string,
  ): Promise<WebhookEventDto> {
    requireIds({ wh: webhookId, evt: eventId });
    return this.events.again(caller, webhookId, eventId);
  }
}
