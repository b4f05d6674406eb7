import {
  webhookAttempt,
  webhookEvent,
  type AttemptRow,
  type DeliveryRow,
  type WebhookAttemptView,
  type WebhookEventView,
} from '../webhook-event.resource.js';

/** The columns of a `DeliveryRow`, of the table with the alias `d`. */
export const DELIVERY_COLUMNS = webhookEvent.columns.replaceAll(/\w+/g, 'd.$&');

export const toWebhookEvent = (row: DeliveryRow): WebhookEventView =>
  webhookEvent.toView(row, { object: 'webhook_event' });

export const toWebhookAttempt = (row: AttemptRow): WebhookAttemptView =>
  webhookAttempt.toView(row, {
    object: 'webhook_attempt',
    latency_ms: row.status === null ? null : row.latency_ms,
  });
