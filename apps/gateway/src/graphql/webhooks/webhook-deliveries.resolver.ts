import { Args, Context, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import type { Principal } from '#libs/accounts';
import { WebhookEventsController } from '../../api/generated.js';
import type { WebhookAttemptDto, WebhookEventDto } from '../../rest/webhooks/webhook-events.dto.js';
import { PageArgs, toConnection, type Connection } from '../connection.js';
import { CallerOf, type GraphqlContext } from '../graphql-caller.js';
import { Json } from '../scalars.js';
import { WebhookLoaders } from './webhook-loaders.js';
import { WebhookCallConnection, WebhookDeliveryType } from './webhook.type.js';

/** The nested fields of an event of a webhook. */
@Resolver(() => WebhookDeliveryType)
export class WebhookDeliveriesResolver {
  constructor(private readonly loaders: WebhookLoaders) {}

  @ResolveField(() => Json, { description: 'The body of the calls: `type`, `created_at` and `data`.' })
  payload(
    @CallerOf(WebhookEventsController, 'find') caller: Principal,
    @Parent() { delivery_id }: WebhookEventDto,
    @Context() context: GraphqlContext,
  ): Promise<object | null> {
    return this.loaders.of(context, caller).payloads.load(delivery_id);
  }

  @ResolveField(() => WebhookCallConnection, {
    description: 'The calls made for the event, newest first, with the first 4 KiB of each response.',
  })
  async calls(
    @CallerOf(WebhookEventsController, 'attempts') caller: Principal,
    @Parent() { delivery_id }: WebhookEventDto,
    @Args() page: PageArgs,
    @Context() context: GraphqlContext,
  ): Promise<Connection<WebhookAttemptDto>> {
    return toConnection(await this.loaders.of(context, caller).calls.load({ id: delivery_id, page }), page);
  }
}
