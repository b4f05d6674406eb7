import { fields, formats, resource, sentences, type RowOf, type Shape, type ViewOf } from '#libs/contracts';

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

const ERRORS = Object.keys(sentences.CALL_ERRORS)
  .map((word) => `\`${word}\``)
  .join(', ');

/** One event at one endpoint: a row of `webhook_deliveries`. */
export const webhookEvent = resource({
  name: 'WebhookEvent',
  about: 'An event that is sent to a webhook.',
  table: 'webhook_deliveries',
  fields: {
    id: fields.id('evt', 'The id of the event, sent as the header `webhook-id` of its calls').storedAs('event_id'),
    object: fields.kind('webhook_event'),
    delivery_id: fields.id('dlv', 'The id of the delivery of this event to this webhook').storedAs('id'),
    webhook_id: fields.id('wh', 'The id of the webhook').stored(),
    type: fields.text('The event type, as sent in the call', 'email.bounced').storedAs('event_type'),
    status: fields
      .choice(
        DELIVERY_STATUSES,
        '`pending` until a call succeeds (`delivered`) or the last retry fails (`failed`)',
        'delivered',
      )
      .stored(),
    attempts: fields.integer('Number of calls made', 1, { minimum: 0 }).stored(),
    last_status: fields.integer('HTTP status of the last call; null if there was no response', 200).orNull().stored(),
    last_error: fields.text(`Error of the last call: ${ERRORS}; null if there was none`, null).orNull().stored(),
    next_attempt_at: fields.time('When the next call is due; null if there is none', null).orNull().storedAs('due_at'),
    created_at: fields.time('When the event was queued for this webhook').stored(),
    updated_at: fields.time('When its status last changed').stored(),
  },
  internal: {},
});
export interface WebhookEventView extends ViewOf<typeof webhookEvent> {}
export interface DeliveryRow extends RowOf<typeof webhookEvent> {}

const webhookPayload = {
  name: 'WebhookPayload',
  about: 'The body of the calls for an event.',
  fields: {
    type: fields.text('The event type', 'email.bounced'),
    created_at: fields.time('When it happened'),
    data: fields.map<object>('The data of the event; its fields depend on the type', {
      id: formats.exampleId('em'),
      bounce_type: 'hard',
    }),
  },
} as const satisfies Shape;

export const webhookEventDetail = {
  name: 'WebhookEventDetail',
  about: 'An event that is sent to a webhook, with the body of its calls.',
  fields: { ...webhookEvent.fields, payload: fields.object(webhookPayload, 'The body of its calls') },
} as const satisfies Shape;
export interface WebhookEventDetail extends ViewOf<typeof webhookEventDetail> {}

export const webhookAttempt = resource({
  name: 'WebhookAttempt',
  about: 'A call of a webhook for one event.',
  table: 'webhook_attempts',
  fields: {
    id: fields.id('atm', 'The id of the call').stored(),
    object: fields.kind('webhook_attempt'),
    number: fields
      .integer('Counts up, including replays; sent as the header `x-service-attempt`', 1, { minimum: 1 })
      .stored(),
    http_status_code: fields
      .integer('HTTP status of the response; null if there was none', 503)
      .orNull()
      .storedAs('status'),
    error: fields.text(`The error: ${ERRORS}; null if there was none`, 'status_not_2xx').orNull().stored(),
    // Null without a response, because the duration of a refusal would help port scans.
    latency_ms: fields
      .integer('Milliseconds until the status line; null if there was no response', 84, { minimum: 0 })
      .orNull(),
    response: fields
      .text('The first 4 KiB of the response body; null if there was no response', 'try again later')
      .orNull()
      .stored(),
    sent_at: fields.time('When the call started').storedAs('started_at'),
  },
  internal: { latency_ms: fields.column<number>('integer') },
});
export interface WebhookAttemptView extends ViewOf<typeof webhookAttempt> {}
export interface AttemptRow extends RowOf<typeof webhookAttempt> {}
