import { EVENT_TYPES } from '#libs/contracts';
import { type ReplayRequest, webhookShapes } from '#libs/webhooks';
import { bodyClass, responseClass } from '../../openapi/definition-classes.js';
import { EXAMPLE_TIME } from '../../openapi/properties.js';
import { listOf, pageQueryOf } from '../list.dto.js';
import { QueryEnum, QueryTime } from '../validation/query-fields.js';

/** Parameters of `GET /webhooks/:id/events`. */
export class WebhookEventsQuery extends pageQueryOf('evt') {
  @QueryEnum(webhookShapes.webhookEvent.fields.status.words, {
    description: 'Only events with this status',
    example: 'failed',
  })
  status?: WebhookEventDto['status'];

  @QueryEnum(EVENT_TYPES, { description: 'Only events of this type', example: 'email.bounced' })
  type?: string;

  @QueryTime('Only events at or after this time', EXAMPLE_TIME)
  created_after?: string;

  @QueryTime('Only events before this time', EXAMPLE_TIME)
  created_before?: string;
}

export class WebhookEventDto extends responseClass(webhookShapes.webhookEvent) {}
export class WebhookEventList extends listOf(WebhookEventDto, 'evt') {}
export class WebhookEventDetailDto extends responseClass(webhookShapes.webhookEventDetail) {}

export class WebhookAttemptDto extends responseClass(webhookShapes.webhookAttempt) {}
export class WebhookAttemptsQuery extends pageQueryOf('atm') {}
export class WebhookAttemptList extends listOf(WebhookAttemptDto, 'atm') {}

/** Body of `POST /webhooks/:id/replay`. */
export class ReplayDto extends bodyClass<ReplayRequest>(webhookShapes.replayRequest, 'create') {}
export class ReplayStateDto extends responseClass(webhookShapes.webhookReplay) {}
export class ReplaysQuery extends pageQueryOf('rpl') {}
export class ReplayList extends listOf(ReplayStateDto, 'rpl') {}
