import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { EVENT_TYPES } from '#libs/contracts';
import {
  OVERLAP_HOURS,
  overlapHoursRule,
  PENDING_LIMIT,
  WEBHOOK_DOMAINS_MAXIMUM,
  type DeliveryFigures,
  type RotatedSecret,
  type WebhookView,
} from '#libs/webhooks';
import { Allow } from 'class-validator';
import {
  EnumProperty,
  EXAMPLE_TIME,
  exampleId,
  HTTPS_PATTERN,
  idPattern,
  IdProperty,
  IntegerProperty,
  KindProperty,
  NullableTimeProperty,
  TextProperty,
  TextsProperty,
  TimeProperty,
} from '../../openapi/properties.js';
import { noneOf, Refuses } from '../../openapi/refused-combinations.js';
import { FieldRule } from '../validation/field-rule.decorator.js';

const URL_EXAMPLE = 'https://example.com/hooks/mail';
const SECRET_EXAMPLE = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';

const url = {
  required: false,
  type: String,
  format: 'uri',
  maxLength: 2048,
  pattern: HTTPS_PATTERN,
  description:
    'The https URL to call: a public address, without user name, fragment, or the port of another service (mail, databases, …)',
  example: URL_EXAMPLE,
} as const;
const endpoint = { ...url, description: 'Another name for `url`; ignored if `url` is given' } as const;
/** Event types, or `*` alone. */
export const EVENT_LIST = {
  type: 'array',
  items: { type: 'string', enum: ['*', ...EVENT_TYPES] },
  minItems: 1,
  maxItems: EVENT_TYPES.length,
  not: { contains: { const: '*' }, minItems: 2 } as object,
} satisfies ApiPropertyOptions;
const events = {
  required: false,
  ...EVENT_LIST,
  description: `Event types to receive, or \`["*"]\` for all. Types: ${EVENT_TYPES.map((type) => `\`${type}\``).join(', ')}. \`email.delivery_delayed\` is another name for a temporary \`email.failed\`, for webhooks that list it`,
  example: ['email.delivered', 'email.bounced'],
} satisfies ApiPropertyOptions;

const domainIds = {
  required: false,
  type: 'array',
  items: { type: 'string', pattern: idPattern('dom') },
  nullable: true,
  minItems: 1,
  maxItems: WEBHOOK_DOMAINS_MAXIMUM,
  description: 'Only events of these domains of the account, without events that belong to no domain. Null: all events',
  example: [exampleId('dom')],
} satisfies ApiPropertyOptions;

const includeBots = {
  required: false,
  type: Boolean,
  default: false,
  description: 'Whether to receive opens and clicks of bots (`is_bot: true`), such as link scanners and image proxies',
  example: false,
} as const;

/**
 * A field that `WebhookSubscriptions` validates. It checks all fields in one step, because their rules depend on settings
 * and on the domains of the account.
 */
const SubscriptionField = (schema: ApiPropertyOptions) => applyDecorators(Allow(), ApiProperty(schema));

/** Body of `POST /webhooks`. */
@Refuses(noneOf('url', 'endpoint'))
export class CreateWebhookDto {
  @SubscriptionField({ ...url, description: `${url.description}. Required unless \`endpoint\` is given` })
  url?: string;

  @SubscriptionField(endpoint)
  endpoint?: string;

  @SubscriptionField({ ...events, required: true })
  events: string[];

  @SubscriptionField(domainIds)
  domain_ids?: string[] | null;

  @SubscriptionField(includeBots)
  include_bots?: boolean;
}

/** Body of `PATCH /webhooks/:id`. Absent fields are not changed. */
export class ChangeWebhookDto {
  @SubscriptionField(url)
  url?: string;

  @SubscriptionField(endpoint)
  endpoint?: string;

  @SubscriptionField(events)
  events?: string[];

  @SubscriptionField(domainIds)
  domain_ids?: string[] | null;

  @SubscriptionField(includeBots)
  include_bots?: boolean;

  @SubscriptionField({
    required: false,
    type: String,
    enum: ['enabled', 'disabled'],
    description:
      'Enabling resets the failure state. Disabling marks pending events as failed; they can be replayed later',
    example: 'enabled',
  })
  status?: 'enabled' | 'disabled';
}

/** Body of `POST /webhooks/:id/signing-secret/rotate`. */
export class RotateSecretDto {
  @FieldRule(overlapHoursRule, {
    type: 'integer',
    minimum: 0,
    maximum: OVERLAP_HOURS.maximum,
    default: OVERLAP_HOURS.default,
    description: 'Number of hours during which calls are signed with both the old and the new secret',
    example: OVERLAP_HOURS.default,
  })
  overlap_hours?: number;
}

export class WebhookDto implements WebhookView {
  @IdProperty('wh', 'The id of the webhook')
  id: string;

  @KindProperty('webhook')
  object: 'webhook';

  /** As given, so it may be an IRI and has no `format: 'uri'`. */
  @ApiProperty({ description: 'The URL to call, as given', example: URL_EXAMPLE })
  url: string;

  @TextsProperty('Event types, or `["*"]`', ['email.delivered'])
  events: string[];

  @ApiProperty({
    type: [String],
    nullable: true,
    description: 'The domains whose events it receives; null: all events',
    example: null,
  })
  domain_ids: string[] | null;

  @ApiProperty(includeBots)
  include_bots: boolean;

  @EnumProperty(['enabled', 'disabled'], 'A disabled webhook receives nothing', 'enabled')
  status: 'enabled' | 'disabled';

  @ApiProperty({
    type: String,
    enum: ['gone', 'failing', 'manual'],
    nullable: true,
    description:
      'Why it is disabled: the URL answered 410 (`gone`), no call succeeded for three days (`failing`), or it was disabled ' +
      'by request (`manual`). Null while it is enabled',
    example: null,
  })
  disabled_reason: WebhookView['disabled_reason'];

  @NullableTimeProperty('The first failed call since the last success; null if the last call succeeded', null)
  failing_since: string | null;

  @NullableTimeProperty('Until when calls are also signed with the secret before the last rotation', null)
  previous_secret_expires_at: string | null;

  @TimeProperty('When it was created', EXAMPLE_TIME)
  created_at: string;

  @TimeProperty('When it was last changed', EXAMPLE_TIME)
  updated_at: string;
}

export class LastDayDto {
  @IntegerProperty('Events delivered', 1204, { minimum: 0 })
  delivered: number;

  @IntegerProperty('Calls without success; an event may have several', 7, { minimum: 0 })
  failed_attempts: number;

  @IntegerProperty('Events that failed, because the last retry failed or the URL answered 410', 0, { minimum: 0 })
  failed: number;

  @ApiProperty({
    type: Number,
    nullable: true,
    minimum: 0,
    maximum: 1,
    description: 'Successful calls per call; null without a call',
    example: 0.9942,
  })
  success_rate: number | null;

  @IntegerProperty('Average milliseconds until the status line; null without a response', 84, { nullable: true })
  average_latency_ms: number | null;

  @IntegerProperty('The longest of these times; null without a response', 912, { nullable: true })
  max_latency_ms: number | null;
}

export class DeliveryFiguresDto implements DeliveryFigures {
  @ApiProperty({
    type: Number,
    minimum: 0,
    description: 'Seconds for which the oldest due event has waited for its call; 0 if none waits',
    example: 0.4,
  })
  lag_seconds: number;

  @IntegerProperty(
    `Events that are neither delivered nor failed, including those that wait for a retry; counted up to ${PENDING_LIMIT}`,
    3,
    { minimum: 0, maximum: PENDING_LIMIT },
  )
  pending: number;

  @IntegerProperty('Calls in progress', 1, { minimum: 0 })
  in_flight: number;

  @IntegerProperty(
    'Calls that may be in progress at once. Grows with prompt successes, is halved after time-outs, lost connections, 5xx ' +
      'and 429',
    10,
    { minimum: 10, maximum: 100 },
  )
  window: number;

  @NullableTimeProperty(
    'No call is made until then, because a response had `retry-after`; at most a minute ahead',
    null,
  )
  paused_until: string | null;

  @ApiProperty({ type: LastDayDto, description: 'The current hour and the 23 hours before it' })
  last_24_hours: LastDayDto;
}

export class WebhookDetailDto extends WebhookDto {
  @ApiProperty({ type: DeliveryFiguresDto, description: 'Figures on pending events and recent calls' })
  delivery: DeliveryFiguresDto;
}

export class CreatedWebhookDto extends WebhookDto {
  @TextProperty('The signing secret: `whsec_` and base64. Only returned on creation and rotation', SECRET_EXAMPLE)
  secret: string;
}

export class WebhookDeletedDto {
  @KindProperty('webhook')
  object: 'webhook';

  @IdProperty('wh', 'The id of the webhook')
  id: string;

  @ApiProperty({ enum: [true], description: 'Always true', example: true })
  deleted: true;
}

export class RotatedSecretDto implements RotatedSecret {
  @IdProperty('wh', 'The id of the webhook')
  id: string;

  @KindProperty('webhook')
  object: 'webhook';

  @TextProperty('The new signing secret. It is returned only once', SECRET_EXAMPLE)
  secret: string;

  @NullableTimeProperty(
    'Until when calls carry both signatures; null if the old secret expired at once',
    '2026-02-01T09:30:00.000Z',
  )
  previous_secret_expires_at: string | null;
}
