import { ApiProperty } from '@nestjs/swagger';
import { EVENT_TYPES } from '#libs/contracts';
import {
  DELIVERY_STATUSES,
  REPLAY_LIMIT,
  replayCursorRule,
  replayStatusRule,
  replayTimeRule,
  webhookEventsRule,
  type DeliveryStatus,
  type Replayed,
  type WebhookAttemptView,
  type WebhookEventDetail,
  type WebhookEventView,
} from '#libs/webhooks';
import { ByRule } from './by-rule.js';
import { listOf, PageQuery } from './list.dto.js';
import { timestampRule, wordRule } from './query-rules.js';

const EVENT_ID = 'evt_01978c0e5f7b7c3a9d21f0b64c1e88aa';
const WEBHOOK_ID = 'wh_01978c0e5f7b7c3a9d21f0b64c1e88aa';
const DELIVERY_ID = 'dlv_01978c0e5f7b7c3a9d21f0b64c1e88aa';
const TIME = '2026-01-31T09:30:00.000Z';
const ERRORS =
  '`target_refused`, `name_unresolved`, `timeout`, `tls_failed`, `connection_failed`, `status_not_2xx`, ' +
  '`redirect_not_followed`, `endpoint_disabled`, `secret_unreadable`';

/** An event at a webhook. */
export class WebhookEventPath {
  @ApiProperty()
  id: string;

  @ApiProperty()
  eventId: string;
}

/** Parameters of `GET /webhooks/:id/events`. */
export class WebhookEventsQuery extends PageQuery {
  @ByRule(wordRule(DELIVERY_STATUSES), {
    doc: { type: String, enum: DELIVERY_STATUSES, description: 'Only events in this state', example: 'failed' },
  })
  status?: DeliveryStatus;

  @ByRule(wordRule(EVENT_TYPES), {
    doc: { type: String, enum: EVENT_TYPES, description: 'Only events of this kind', example: 'email.bounced' },
  })
  type?: string;

  @ByRule(timestampRule, {
    doc: { type: String, format: 'date-time', description: 'Only events from this time on', example: TIME },
  })
  created_after?: string;

  @ByRule(timestampRule, {
    doc: { type: String, format: 'date-time', description: 'Only events before this time', example: TIME },
  })
  created_before?: string;
}

/** Body of `POST /webhooks/:id/replay`. */
export class ReplayDto {
  @ByRule(replayTimeRule, {
    required: true,
    doc: { type: String, format: 'date-time', description: 'Begin of the range', example: '2026-01-31T09:30:00Z' },
  })
  from: string;

  @ByRule(replayTimeRule, {
    doc: {
      type: String,
      format: 'date-time',
      description: 'End of the range, exclusive; now if absent',
      example: '2026-01-31T12:00:00Z',
    },
  })
  to?: string;

  @ByRule(webhookEventsRule, {
    doc: {
      type: [String],
      minItems: 1,
      description: 'Only these kinds of events; all if absent',
      example: ['email.bounced', 'email.complained'],
    },
  })
  types?: string[];

  @ByRule(replayStatusRule, {
    doc: { type: String, enum: DELIVERY_STATUSES, description: 'Only events in this state', example: 'failed' },
  })
  status?: DeliveryStatus;

  @ByRule(replayCursorRule, {
    doc: {
      type: String,
      description: 'The `next_cursor` of the last call, to go on where it ended',
      example: DELIVERY_ID,
    },
  })
  after?: string;
}

export class WebhookEventDto implements WebhookEventView {
  @ApiProperty({ description: 'The id of the event, the header `webhook-id` of its calls', example: EVENT_ID })
  id: string;

  @ApiProperty({ enum: ['webhook_event'] })
  object: 'webhook_event';

  @ApiProperty({ description: 'The id of this event at this webhook', example: DELIVERY_ID })
  delivery_id: string;

  @ApiProperty({ description: 'The id of the webhook', example: WEBHOOK_ID })
  webhook_id: string;

  @ApiProperty({ description: 'The kind of event, by the name under which it is sent', example: 'email.bounced' })
  type: string;

  @ApiProperty({
    enum: DELIVERY_STATUSES,
    description: '`pending` until a call succeeds (`delivered`) or the last retry fails (`failed`)',
    example: 'delivered',
  })
  status: DeliveryStatus;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Calls that were made', example: 1 })
  attempts: number;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'HTTP status of the last call; null without an answer',
    example: 200,
  })
  last_status: number | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: `What went wrong at the last call: ${ERRORS}; null when nothing did`,
    example: null,
  })
  last_error: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the next call is due; null when there is none',
    example: null,
  })
  next_attempt_at: string | null;

  @ApiProperty({ format: 'date-time', description: 'When the event came to this webhook', example: TIME })
  created_at: string;

  @ApiProperty({ format: 'date-time', description: 'When its state last changed', example: TIME })
  updated_at: string;
}

export class WebhookEventList extends listOf(WebhookEventDto) {}

class WebhookPayloadDto {
  @ApiProperty({ description: 'The kind of event', example: 'email.bounced' })
  type: string;

  @ApiProperty({ format: 'date-time', description: 'When it happened', example: TIME })
  created_at: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'What happened; its fields depend on the kind',
    example: { id: 'em_01978c0e5f7b7c3a9d21f0b64c1e88aa', bounce_type: 'hard' },
  })
  data: object;
}

export class WebhookEventDetailDto extends WebhookEventDto implements WebhookEventDetail {
  @ApiProperty({ type: WebhookPayloadDto, description: 'The body of its calls' })
  payload: WebhookPayloadDto;
}

export class WebhookAttemptDto implements WebhookAttemptView {
  @ApiProperty({ description: 'The id of the call', example: 'atm_01978c0e5f7b7c3a9d21f0b64c1e88aa' })
  id: string;

  @ApiProperty({ enum: ['webhook_attempt'] })
  object: 'webhook_attempt';

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    description: 'Counts up, over replays too; the header `x-service-attempt`',
    example: 1,
  })
  number: number;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Null without an answer', example: 503 })
  http_status_code: number | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: `What went wrong: ${ERRORS}; null when nothing did`,
    example: 'status_not_2xx',
  })
  error: string | null;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    nullable: true,
    description: 'Milliseconds until the status line; null without an answer',
    example: 84,
  })
  latency_ms: number | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The first 4 KiB of the answer; null without an answer',
    example: 'try again later',
  })
  response: string | null;

  @ApiProperty({ format: 'date-time', description: 'When the call began', example: TIME })
  sent_at: string;
}

export class WebhookAttemptList extends listOf(WebhookAttemptDto) {}

export class ReplayedDto implements Replayed {
  @ApiProperty({ enum: ['webhook_replay'] })
  object: 'webhook_replay';

  @ApiProperty({ description: 'The id of the webhook', example: WEBHOOK_ID })
  webhook_id: string;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    maximum: REPLAY_LIMIT,
    description: 'Events that are sent again; those in flight at this moment are passed over',
    example: 42,
  })
  queued: number;

  @ApiProperty({ description: 'Whether the range has more events than one call takes', example: false })
  has_more: boolean;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Give it as `after` in the next call to go on; null at the end of the range',
    example: null,
  })
  next_cursor: string | null;
}
