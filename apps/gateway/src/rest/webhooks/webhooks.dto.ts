import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { EVENT_TYPES } from '#libs/contracts';
import {
  OVERLAP_HOURS,
  overlapHoursRule,
  WEBHOOK_DOMAINS_MAXIMUM,
  type RotatedSecret,
  type WebhookView,
} from '#libs/webhooks';
import { Allow } from 'class-validator';
import {
  EnumProperty,
  EXAMPLE_TIME,
  exampleId,
  IdProperty,
  KindProperty,
  NullableTimeProperty,
  TextProperty,
  TextsProperty,
  TimeProperty,
} from '../../openapi/properties.js';
import { FieldRule } from '../validation/field-rule.decorator.js';

const URL_EXAMPLE = 'https://example.com/hooks/mail';
const SECRET_EXAMPLE = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';

const url = {
  required: false,
  type: String,
  format: 'uri',
  maxLength: 2048,
  description:
    'The https URL to call: a public address, without user name, fragment, or the port of another service (mail, databases, …)',
  example: URL_EXAMPLE,
} as const;
const endpoint = { ...url, description: 'Another name for `url`; ignored if `url` is given' } as const;
const events = {
  required: false,
  type: String,
  isArray: true,
  minItems: 1,
  maxItems: EVENT_TYPES.length,
  description: `Event types to receive, or \`["*"]\` for all. Types: ${EVENT_TYPES.map((type) => `\`${type}\``).join(', ')}. \`email.delivery_delayed\` is another name for a temporary \`email.failed\`, for webhooks that list it`,
  example: ['email.delivered', 'email.bounced'],
} as const;

const domainIds = {
  required: false,
  type: String,
  isArray: true,
  nullable: true,
  minItems: 1,
  maxItems: WEBHOOK_DOMAINS_MAXIMUM,
  description: 'Only events of these domains of the account, without events that belong to no domain. Null: all events',
  example: [exampleId('dom')],
} as const;

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

  @ApiProperty({ format: 'uri', description: 'The URL to call', example: URL_EXAMPLE })
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
