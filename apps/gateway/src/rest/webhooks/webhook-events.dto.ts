import { ApiProperty } from '@nestjs/swagger';
import { EVENT_TYPES } from '#libs/contracts';
import {
  DELIVERY_STATUSES,
  REPLAY_STATUSES,
  replayCursorRule,
  replayStatusRule,
  replayTimeRule,
  webhookEventsRule,
  type DeliveryStatus,
  type ReplayStatus,
  type ReplayView,
  type WebhookAttemptView,
  type WebhookEventDetail,
  type WebhookEventView,
} from '#libs/webhooks';
import {
  EnumProperty,
  EXAMPLE_TIME,
  exampleId,
  idPattern,
  IdProperty,
  IntegerProperty,
  KindProperty,
  NullableTextProperty,
  NullableTimeProperty,
  TextProperty,
  TimeProperty,
} from '../../openapi/properties.js';
import { listOf, pageQueryOf } from '../list.dto.js';
import { FieldRule } from '../validation/field-rule.decorator.js';
import { EVENT_LIST } from './webhooks.dto.js';
import { QueryEnum, QueryTime } from '../validation/query-fields.js';

const ERRORS =
  '`target_refused`, `name_unresolved`, `timeout`, `tls_failed`, `connection_failed`, `status_not_2xx`, ' +
  '`redirect_not_followed`, `endpoint_disabled`, `secret_unreadable`';

/** Path parameters of one event of a webhook. */
export class WebhookEventPath {
  @ApiProperty()
  id: string;

  @ApiProperty()
  eventId: string;
}

/** Path parameters of one replay of a webhook. */
export class ReplayPath {
  @ApiProperty()
  id: string;

  @ApiProperty()
  replayId: string;
}

/** Parameters of `GET /webhooks/:id/events`. */
export class WebhookEventsQuery extends pageQueryOf('evt') {
  @QueryEnum(DELIVERY_STATUSES, { description: 'Only events with this status', example: 'failed' })
  status?: DeliveryStatus;

  @QueryEnum(EVENT_TYPES, { description: 'Only events of this type', example: 'email.bounced' })
  type?: string;

  @QueryTime('Only events at or after this time', EXAMPLE_TIME)
  created_after?: string;

  @QueryTime('Only events before this time', EXAMPLE_TIME)
  created_before?: string;
}

/** Body of `POST /webhooks/:id/replay`. */
export class ReplayDto {
  @FieldRule(replayTimeRule, {
    required: true,
    type: String,
    format: 'date-time',
    description: 'Start of the range',
    example: '2026-01-31T09:30:00Z',
  })
  from: string;

  @FieldRule(replayTimeRule, {
    type: String,
    format: 'date-time',
    description: 'End of the range, exclusive; now if absent',
    example: '2026-01-31T12:00:00Z',
  })
  to?: string;

  @FieldRule(webhookEventsRule, {
    ...EVENT_LIST,
    description: 'Only these event types, or `["*"]`; all if absent',
    example: ['email.bounced', 'email.complained'],
  })
  types?: string[];

  @FieldRule(replayStatusRule, {
    type: String,
    enum: DELIVERY_STATUSES,
    description: 'Only events with this status',
    example: 'failed',
  })
  status?: DeliveryStatus;

  @FieldRule(replayCursorRule, {
    type: String,
    pattern: idPattern('dlv'),
    description: 'The `next_cursor` of an earlier replay, to continue after its last event',
    example: exampleId('dlv'),
  })
  after?: string;
}

export class WebhookEventDto implements WebhookEventView {
  @IdProperty('evt', 'The id of the event, sent as the header `webhook-id` of its calls')
  id: string;

  @KindProperty('webhook_event')
  object: 'webhook_event';

  @IdProperty('dlv', 'The id of the delivery of this event to this webhook')
  delivery_id: string;

  @IdProperty('wh', 'The id of the webhook')
  webhook_id: string;

  @TextProperty('The event type, as sent in the call', 'email.bounced')
  type: string;

  @EnumProperty(
    DELIVERY_STATUSES,
    '`pending` until a call succeeds (`delivered`) or the last retry fails (`failed`)',
    'delivered',
  )
  status: DeliveryStatus;

  @IntegerProperty('Number of calls made', 1, { minimum: 0 })
  attempts: number;

  @IntegerProperty('HTTP status of the last call; null if there was no response', 200, { nullable: true })
  last_status: number | null;

  @NullableTextProperty(`Error of the last call: ${ERRORS}; null if there was none`, null)
  last_error: string | null;

  @NullableTimeProperty('When the next call is due; null if there is none', null)
  next_attempt_at: string | null;

  @TimeProperty('When the event was queued for this webhook', EXAMPLE_TIME)
  created_at: string;

  @TimeProperty('When its status last changed', EXAMPLE_TIME)
  updated_at: string;
}

export class WebhookEventList extends listOf(WebhookEventDto, 'evt') {}

export class WebhookPayloadDto {
  @TextProperty('The event type', 'email.bounced')
  type: string;

  @TimeProperty('When it happened', EXAMPLE_TIME)
  created_at: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'The data of the event; its fields depend on the type',
    example: { id: exampleId('em'), bounce_type: 'hard' },
  })
  data: object;
}

export class WebhookEventDetailDto extends WebhookEventDto implements WebhookEventDetail {
  @ApiProperty({ type: WebhookPayloadDto, description: 'The body of its calls' })
  payload: WebhookPayloadDto;
}

export class WebhookAttemptDto implements WebhookAttemptView {
  @IdProperty('atm', 'The id of the call')
  id: string;

  @KindProperty('webhook_attempt')
  object: 'webhook_attempt';

  @IntegerProperty('Counts up, including replays; sent as the header `x-service-attempt`', 1, { minimum: 1 })
  number: number;

  @IntegerProperty('HTTP status of the response; null if there was none', 503, { nullable: true })
  http_status_code: number | null;

  @NullableTextProperty(`The error: ${ERRORS}; null if there was none`, 'status_not_2xx')
  error: string | null;

  @IntegerProperty('Milliseconds until the status line; null if there was no response', 84, {
    minimum: 0,
    nullable: true,
  })
  latency_ms: number | null;

  @NullableTextProperty('The first 4 KiB of the response body; null if there was no response', 'try again later')
  response: string | null;

  @TimeProperty('When the call started', EXAMPLE_TIME)
  sent_at: string;
}

export class WebhookAttemptsQuery extends pageQueryOf('atm') {}
export class WebhookAttemptList extends listOf(WebhookAttemptDto, 'atm') {}

export class ReplayFilterDto {
  @TimeProperty('Start of the range', EXAMPLE_TIME)
  from: string;

  @TimeProperty('End of the range, exclusive', EXAMPLE_TIME)
  to: string;

  @ApiProperty({ type: [String], nullable: true, description: 'The event types; null: all', example: null })
  types: string[] | null;

  @ApiProperty({
    type: String,
    enum: DELIVERY_STATUSES,
    nullable: true,
    description: 'The status of the events; null: all',
    example: 'failed',
  })
  status: DeliveryStatus | null;
}

export class ReplayStateDto implements ReplayView {
  @IdProperty('rpl', 'The id of the replay')
  id: string;

  @KindProperty('webhook_replay')
  object: 'webhook_replay';

  @IdProperty('wh', 'The id of the webhook')
  webhook_id: string;

  @EnumProperty(
    REPLAY_STATUSES,
    '`running` until the end of the range (`completed`); `canceled` by request; `stopped` because the webhook was disabled',
    'running',
  )
  status: ReplayStatus;

  @ApiProperty({ type: ReplayFilterDto, description: 'The events to replay' })
  filter: ReplayFilterDto;

  @IntegerProperty('Events that were queued again so far', 1_500, { minimum: 0 })
  queued: number;

  @IntegerProperty('Events that were left out, because they were being sent at that moment', 0, { minimum: 0 })
  skipped: number;

  @NullableTimeProperty('Time of the last event that the replay has processed; null before the first', EXAMPLE_TIME)
  reached_at: string | null;

  @NullableTextProperty(
    'To continue a canceled or stopped replay, start another one with this value as `after`; null if it is completed',
    exampleId('dlv'),
  )
  next_cursor: string | null;

  @TimeProperty('When it was started', EXAMPLE_TIME)
  created_at: string;

  @TimeProperty('When it last made progress', EXAMPLE_TIME)
  updated_at: string;
}

export class ReplaysQuery extends pageQueryOf('rpl') {}
export class ReplayList extends listOf(ReplayStateDto, 'rpl') {}
