import {
  EVENT_TYPES,
  fields,
  formats,
  resource,
  type sentences,
  type ChangesOf,
  type RowOf,
  type Shape,
  type ViewOf,
} from '#libs/contracts';
import { OVERLAP_HOURS, overlapHoursRule, WEBHOOK_DOMAINS_MAXIMUM } from './endpoints/field-rules.js';
import type { PayloadFormat } from './fan-out/payload-format.js';

const URL_EXAMPLE = 'https://example.com/hooks/mail';
const SECRET_EXAMPLE = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
/** Pending events are counted up to this number. */
export const PENDING_LIMIT = 10_000;

/** Event types in a request, or `*` alone. */
export const EVENT_LIST = {
  items: { type: 'string', enum: ['*', ...EVENT_TYPES] },
  minItems: 1,
  maxItems: EVENT_TYPES.length,
  not: { contains: { const: '*' }, minItems: 2 },
} as const;

/** Why an endpoint is disabled, see the description of the field. */
const DISABLED_REASONS = ['gone', 'failing', 'manual'] as const satisfies (keyof typeof sentences.DISABLED_BECAUSE)[];
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/**
 * An endpoint of a customer. `checkWebhookFields` checks all fields of a request in one step, because their rules depend on
 * settings and on the domains of the account. The columns of the secrets belong to `WebhookSecrets`.
 */
export const webhook = resource({
  name: 'Webhook',
  about: 'A subscription to events.',
  table: 'webhooks',
  fields: {
    id: fields.id('wh', 'The id of the webhook').stored(),
    object: fields.kind('webhook'),
    // As given, so it may be an IRI and has no `format: 'uri'`.
    url: fields
      .text('The URL to call, as given', URL_EXAMPLE)
      .stored()
      .editable(null, {
        schema: {
          format: 'uri',
          maxLength: 2048,
          pattern: formats.HTTPS_PATTERN,
          description:
            'The https URL to call: a public address, without user name, fragment, or the port of another service (mail, databases, …)',
        },
      }),
    events: fields
      .texts('Event types, or `["*"]`', ['email.delivered'])
      .stored()
      .editable(null, {
        required: true,
        schema: {
          ...EVENT_LIST,
          description: `Event types to receive, or \`["*"]\` for all. Types: ${EVENT_TYPES.map((type) => `\`${type}\``).join(', ')}. \`email.delivery_delayed\` is another name for a temporary \`email.failed\`, for webhooks that list it`,
          example: ['email.delivered', 'email.bounced'],
        },
      }),
    domain_ids: fields
      .texts('The domains whose events it receives; null: all events', null)
      .orNull()
      .stored()
      .editable(null, {
        schema: {
          items: { type: 'string', pattern: formats.idPattern('dom') },
          minItems: 1,
          maxItems: WEBHOOK_DOMAINS_MAXIMUM,
          description:
            'Only events of these domains of the account, without events that belong to no domain. Null: all events',
          example: [formats.exampleId('dom')],
        },
      }),
    include_bots: fields
      .flag(
        'Whether to receive opens and clicks of bots (`is_bot: true`), such as link scanners and image proxies',
        false,
        { default: false },
      )
      .stored()
      .editable(null),
    status: fields
      .choice(['enabled', 'disabled'], 'A disabled webhook receives nothing', 'enabled')
      .stored()
      .settable(null, {
        schema: {
          description:
            'Enabling resets the failure state. Disabling marks pending events as failed; they can be replayed later',
        },
      }),
    disabled_reason: fields
      .choice(
        DISABLED_REASONS,
        'Why it is disabled: the URL answered 410 (`gone`), no call succeeded for three days (`failing`), or it was disabled ' +
          'by request (`manual`). Null while it is enabled',
        null,
      )
      .orNull()
      .stored(),
    failing_since: fields
      .time('The first failed call since the last success; null if the last call succeeded', null)
      .orNull()
      .stored(),
    previous_secret_expires_at: fields
      .time('Until when calls are also signed with the secret before the last rotation', null)
      .orNull(),
    created_at: fields.time('When it was created').stored(),
    updated_at: fields.time('When it was last changed').stored(),
  },
  internal: {
    account_id: fields.column<string>(),
    payload_format: fields.column<PayloadFormat>(),
    /** The secret before the last rotation signs as well until this time. */
    previous_secret_until: fields.column<Date | null>('timestamptz'),
  },
});

/** A webhook as the API returns it. The secret is returned only on creation and rotation. */
export interface WebhookView extends ViewOf<typeof webhook> {}
/** A row of `webhooks`, without its secrets. */
export interface StoredWebhook extends RowOf<typeof webhook> {}
/** The fields that requests give. They come from outside and may violate their types until they are checked. */
export interface WebhookSettings extends ChangesOf<typeof webhook> {}
export type NewWebhook = Omit<WebhookSettings, 'status'>;

export const createdWebhook = {
  name: 'CreatedWebhook',
  about: 'A new webhook with its signing secret.',
  fields: {
    ...webhook.fields,
    secret: fields.text(
      'The signing secret: `whsec_` and base64. Only returned on creation and rotation',
      SECRET_EXAMPLE,
    ),
  },
} as const satisfies Shape;

export const lastDay = {
  name: 'LastDay',
  about: 'Deliveries and calls of the last 24 hours.',
  fields: {
    delivered: fields.integer('Events delivered', 1204, { minimum: 0 }),
    failed_attempts: fields.integer('Calls without success; an event may have several', 7, { minimum: 0 }),
    failed: fields.integer('Events that failed, because the last retry failed or the URL answered 410', 0, {
      minimum: 0,
    }),
    success_rate: fields
      .number('Successful calls per call; null without a call', 0.9942, { minimum: 0, maximum: 1 })
      .orNull(),
    average_latency_ms: fields
      .integer('Average milliseconds until the status line; null without a response', 84)
      .orNull(),
    max_latency_ms: fields.integer('The longest of these times; null without a response', 912).orNull(),
  },
} as const satisfies Shape;

export const deliveryFigures = {
  name: 'DeliveryFigures',
  about: 'How a webhook keeps up with its events.',
  fields: {
    lag_seconds: fields.number('Seconds for which the oldest due event has waited for its call; 0 if none waits', 0.4, {
      minimum: 0,
    }),
    pending: fields.integer(
      `Events that are neither delivered nor failed, including those that wait for a retry; counted up to ${PENDING_LIMIT}`,
      3,
      { minimum: 0, maximum: PENDING_LIMIT },
    ),
    in_flight: fields.integer('Calls in progress', 1, { minimum: 0 }),
    window: fields.integer(
      'Calls that may be in progress at once. Grows with prompt successes, is halved after time-outs, lost connections, 5xx ' +
        'and 429',
      10,
      { minimum: 10, maximum: 100 },
    ),
    paused_until: fields
      .time('No call is made until then, because a response had `retry-after`; at most a minute ahead', null)
      .orNull(),
    last_24_hours: fields.object(lastDay, 'The current hour and the 23 hours before it'),
  },
} as const satisfies Shape;
export interface DeliveryFigures extends ViewOf<typeof deliveryFigures> {}

export const webhookDetail = {
  name: 'WebhookDetail',
  about: 'A webhook with figures on its deliveries.',
  fields: {
    ...webhook.fields,
    delivery: fields.object(deliveryFigures, 'Figures on pending events and recent calls'),
  },
} as const satisfies Shape;

/** A request to rotate the signing secret. */
export const secretRotation = {
  name: 'SecretRotation',
  about: 'How to rotate the signing secret of a webhook.',
  fields: {
    overlap_hours: fields
      .integer(
        'Number of hours during which calls are signed with both the old and the new secret',
        OVERLAP_HOURS.default,
        {
          minimum: 0,
          maximum: OVERLAP_HOURS.maximum,
          default: OVERLAP_HOURS.default,
        },
      )
      .given(overlapHoursRule),
  },
} as const satisfies Shape;

/** The response to a rotation, the only one with the new secret. */
export const rotatedSecret = {
  name: 'RotatedSecret',
  about: 'The new signing secret of a webhook.',
  fields: {
    id: fields.id('wh', 'The id of the webhook'),
    object: fields.kind('webhook'),
    secret: fields.text('The new signing secret. It is returned only once', SECRET_EXAMPLE),
    previous_secret_expires_at: fields
      .time(
        'Until when calls carry both signatures; null if the old secret expired at once',
        '2026-02-01T09:30:00.000Z',
      )
      .orNull(),
  },
} as const satisfies Shape;
export interface RotatedSecret extends ViewOf<typeof rotatedSecret> {}
