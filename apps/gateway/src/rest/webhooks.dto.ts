import { ApiProperty } from '@nestjs/swagger';
import { EVENT_TYPES } from '#libs/contracts';
import type { Rule } from '#libs/emails';
import {
  OVERLAP_HOURS,
  overlapHoursRule,
  WEBHOOK_DOMAINS_MAXIMUM,
  type RotatedSecret,
  type WebhookView,
} from '#libs/webhooks';
import { ByRule } from './by-rule.js';

const ID = 'wh_01978c0e5f7b7c3a9d21f0b64c1e88aa';
const URL_EXAMPLE = 'https://example.com/hooks/mail';
const SECRET_EXAMPLE = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';

/** Which values are allowed depends on settings and on what the account has; the webhooks lib judges all fields at once. */
const judgedByTheLib: Rule = () => [];

const url = {
  type: String,
  format: 'uri',
  maxLength: 2048,
  description:
    'Where calls go: https, a public address, no user name, no fragment, no port of another service (mail, databases, …)',
  example: URL_EXAMPLE,
} as const;
const events = {
  type: String,
  isArray: true,
  minItems: 1,
  maxItems: EVENT_TYPES.length,
  description: `Kinds of events to receive, or \`["*"]\` for all of them. Kinds: ${EVENT_TYPES.map((kind) => `\`${kind}\``).join(', ')}. \`email.delivery_delayed\` is another name of a temporary \`email.failed\`, for those who list it`,
  example: ['email.delivered', 'email.bounced'],
} as const;
const domainIds = {
  type: String,
  isArray: true,
  nullable: true,
  minItems: 1,
  maxItems: WEBHOOK_DOMAINS_MAXIMUM,
  description:
    'Only events of these domains of the account; events that belong to no domain are left out then. Null: everything',
  example: ['dom_01978c0e5f7b7c3a9d21f0b64c1e88aa'],
} as const;

/** Body of `POST /webhooks`. */
export class CreateWebhookDto {
  @ByRule(judgedByTheLib, {
    doc: { ...url, description: `${url.description}. Required, unless \`endpoint\` is given` },
  })
  url?: string;

  @ByRule(judgedByTheLib, { doc: { ...url, description: 'Another name of `url`; ignored when `url` is given' } })
  endpoint?: string;

  @ByRule(judgedByTheLib, { doc: { ...events, required: true } })
  events: string[];

  @ByRule(judgedByTheLib, { doc: domainIds })
  domain_ids?: string[] | null;
}

/** Body of `PATCH /webhooks/:id`: what is not given stays as it is. */
export class ChangeWebhookDto {
  @ByRule(judgedByTheLib, { doc: url })
  url?: string;

  @ByRule(judgedByTheLib, { doc: { ...url, description: 'Another name of `url`; ignored when `url` is given' } })
  endpoint?: string;

  @ByRule(judgedByTheLib, { doc: events })
  events?: string[];

  @ByRule(judgedByTheLib, { doc: domainIds })
  domain_ids?: string[] | null;

  @ByRule(judgedByTheLib, {
    doc: {
      type: String,
      enum: ['enabled', 'disabled'],
      description: 'Enabling forgets all failures. Disabling fails the events that wait; they can be replayed later',
      example: 'enabled',
    },
  })
  status?: 'enabled' | 'disabled';
}

/** Body of `POST /webhooks/:id/signing-secret/rotate`. */
export class RotateSecretDto {
  @ByRule(overlapHoursRule, {
    doc: {
      type: 'integer',
      minimum: 0,
      maximum: OVERLAP_HOURS.maximum,
      default: OVERLAP_HOURS.default,
      description: 'Hours for which calls carry signatures of the old secret beside those of the new one',
      example: OVERLAP_HOURS.default,
    },
  })
  overlap_hours?: number;
}

export class WebhookDto implements WebhookView {
  @ApiProperty({ description: 'The id of the webhook', example: ID })
  id: string;

  @ApiProperty({ enum: ['webhook'] })
  object: 'webhook';

  @ApiProperty({ format: 'uri', description: 'Where calls go', example: URL_EXAMPLE })
  url: string;

  @ApiProperty({ type: [String], description: 'Kinds of events, or `["*"]`', example: ['email.delivered'] })
  events: string[];

  @ApiProperty({
    type: [String],
    nullable: true,
    description: 'The domains whose events it gets; null: everything',
    example: null,
  })
  domain_ids: string[] | null;

  @ApiProperty({ enum: ['enabled', 'disabled'], description: 'A disabled webhook gets nothing', example: 'enabled' })
  status: 'enabled' | 'disabled';

  @ApiProperty({
    type: String,
    enum: ['gone', 'failing', 'manual'],
    nullable: true,
    description:
      'Why it is disabled: its address answered 410 (`gone`), three days passed without one success (`failing`), or ' +
      'somebody did it (`manual`). Null while it is enabled',
    example: null,
  })
  disabled_reason: WebhookView['disabled_reason'];

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The first failed call after the last success; null when the last call succeeded',
    example: null,
  })
  failing_since: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Until then calls also carry signatures of the secret before the last rotation',
    example: null,
  })
  previous_secret_expires_at: string | null;

  @ApiProperty({ format: 'date-time', description: 'When it was created', example: '2026-01-31T09:30:00.000Z' })
  created_at: string;

  @ApiProperty({ format: 'date-time', description: 'When it was last changed', example: '2026-01-31T09:30:00.000Z' })
  updated_at: string;
}

export class CreatedWebhookDto extends WebhookDto {
  @ApiProperty({
    description: 'The signing secret: `whsec_` and base64. It is shown here and by a rotation only',
    example: SECRET_EXAMPLE,
  })
  secret: string;
}

export class WebhookDeletedDto {
  @ApiProperty({ enum: ['webhook'] })
  object: 'webhook';

  @ApiProperty({ description: 'The id of the webhook', example: ID })
  id: string;

  @ApiProperty({ enum: [true], description: 'It is gone', example: true })
  deleted: true;
}

export class RotatedSecretDto implements RotatedSecret {
  @ApiProperty({ description: 'The id of the webhook', example: ID })
  id: string;

  @ApiProperty({ enum: ['webhook'] })
  object: 'webhook';

  @ApiProperty({ description: 'The new signing secret; it is shown here only', example: SECRET_EXAMPLE })
  secret: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Until then calls carry both signatures; null when the old secret ended at once',
    example: '2026-02-01T09:30:00.000Z',
  })
  previous_secret_expires_at: string | null;
}
