import { Args, Context, ID, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import type { Principal } from '#libs/accounts';
import { isId } from '#libs/contracts';
import { WebhookDeliveryLog, WebhookFigures } from '#libs/webhooks';
import { WebhookEventsController, WebhooksController } from '../../api/generated.js';
import { WebhookEventsQuery, type WebhookEventDto } from '../../rest/webhooks/webhook-events.dto.js';
import type { WebhookDetailDto, WebhookDto } from '../../rest/webhooks/webhooks.dto.js';
import { PageArgs, pageParameters, toConnection, type Connection } from '../connection.js';
import { queryDtoOf, restQuery } from '../dto/input-type.js';
import { CallerOf, type GraphqlContext } from '../graphql-caller.js';
import { WebhookLoaders } from './webhook-loaders.js';
import {
  WebhookDeliveryConnection,
  WebhookDeliveryFilter,
  WebhookDeliveryType,
  WebhookFiguresType,
  WebhookType,
} from './webhook.type.js';

/** The nested fields of a webhook. */
@Resolver(() => WebhookType)
export class WebhooksResolver {
  constructor(
    private readonly log: WebhookDeliveryLog,
    private readonly loaders: WebhookLoaders,
    private readonly webhookFigures: WebhookFigures,
  ) {}

  /** One statement per webhook: an account has ten at most. */
  @ResolveField(() => WebhookFiguresType, { description: 'How the webhook keeps up with its events.' })
  figures(
    @CallerOf(WebhooksController, 'find') _caller: Principal,
    @Parent() { id }: WebhookDto,
  ): Promise<WebhookDetailDto['delivery']> {
    return this.webhookFigures.of(id);
  }

  @ResolveField(() => WebhookDeliveryConnection, {
    description: 'The events of the last 30 days with their delivery status, newest first.',
  })
  async deliveries(
    @CallerOf(WebhookEventsController, 'list') caller: Principal,
    @Parent() { id }: WebhookDto,
    @Args() page: PageArgs,
    @Context() context: GraphqlContext,
    @Args('filter', { type: () => WebhookDeliveryFilter, nullable: true, description: 'Only events that match it' })
    filter?: object | null,
  ): Promise<Connection<WebhookEventDto>> {
    const parameters = { ...restQuery(WebhookDeliveryFilter, filter), ...pageParameters(page) };
    // Validates before loading, so that the refusal is that of this field.
    queryDtoOf(WebhookEventsQuery, parameters);
    return toConnection(await this.loaders.of(context, caller).deliveries.load({ id, page: parameters }), page);
  }

  @ResolveField(() => WebhookDeliveryType, {
    nullable: true,
    description: 'One event of the webhook. Null if it was not sent there.',
  })
  delivery(
    @CallerOf(WebhookEventsController, 'find') caller: Principal,
    @Parent() { id }: WebhookDto,
    @Args('eventId', { type: () => ID, description: 'The id of the event' }) eventId: string,
  ): Promise<WebhookEventDto | null> {
    return isId('evt', eventId) ? this.log.find(caller, id, eventId) : Promise.resolve(null);
  }
}
