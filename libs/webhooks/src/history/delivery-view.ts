/** The API representation of one event at one endpoint. */
export interface WebhookEventView {
  /** `evt_…`; the header `webhook-id` of its requests. */
  id: string;
  object: 'webhook_event';
  /** `dlv_…` */
  delivery_id: string;
  webhook_id: string;
  /** The event type under which the endpoint receives it. */
  type: string;
  status: DeliveryStatus;
  attempts: number;
  /** Of the last attempt; null without a response, with a coarse word in `last_error`. */
  last_status: number | null;
  last_error: string | null;
  next_attempt_at: string | null;
  created_at: string;
  updated_at: string;
}

export interface WebhookEventDetail extends WebhookEventView {
  /** The body of its requests. */
  payload: { type: string; created_at: string; data: object };
}

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export interface WebhookAttemptView {
  /** `atm_…` */
  id: string;
  object: 'webhook_attempt';
  /** From 1, continued by a replay. */
  number: number;
  http_status_code: number | null;
  error: string | null;
  /** Time to the status line; null without a response, because the duration of a refusal would help port scans. */
  latency_ms: number | null;
  /** The first 4 KiB of the response body. */
  response: string | null;
  sent_at: string;
}

export interface DeliveryRow {
  id: string;
  webhook_id: string;
  event_id: string;
  event_type: string;
  status: DeliveryStatus;
  attempts: number;
  last_status: number | null;
  last_error: string | null;
  due_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

export const DELIVERY_COLUMNS =
  'd.id, d.webhook_id, d.event_id, d.event_type, d.status, d.attempts, d.last_status, d.last_error, d.due_at, d.created_at, d.updated_at';

export function toWebhookEvent(row: DeliveryRow): WebhookEventView {
  return {
    id: row.event_id,
    object: 'webhook_event',
    delivery_id: row.id,
    webhook_id: row.webhook_id,
    type: row.event_type,
    status: row.status,
    attempts: row.attempts,
    last_status: row.last_status,
    last_error: row.last_error,
    next_attempt_at: row.due_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

export interface AttemptRow {
  id: string;
  number: number;
  status: number | null;
  error: string | null;
  latency_ms: number;
  response: string | null;
  started_at: Date;
}

export function toWebhookAttempt(row: AttemptRow): WebhookAttemptView {
  return {
    id: row.id,
    object: 'webhook_attempt',
    number: row.number,
    http_status_code: row.status,
    error: row.error,
    latency_ms: row.status === null ? null : row.latency_ms,
    response: row.response,
    sent_at: row.started_at.toISOString(),
  };
}
