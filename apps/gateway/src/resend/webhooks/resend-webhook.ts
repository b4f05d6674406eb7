import type { WebhookAttemptDto } from '../../rest/webhooks/webhook-events.dto.js';
import type { WebhookEventDetailDto } from '../../rest/webhooks/webhook-events.dto.js';
import type { WebhookEventDto } from '../../rest/webhooks/webhook-events.dto.js';
import type { WebhookDto } from '../../rest/webhooks/webhooks.dto.js';
import { toResendId } from '../resend-id.js';

/** A webhook in a list, with its URL under the names of both APIs. */
export interface ResendWebhook {
  id: string;
  endpoint: string;
  url: string;
  created_at: string;
  status: 'enabled' | 'disabled';
  /** Null means all events. */
  events: string[] | null;
}

/** Events and their calls keep native ids, because receivers see them in `svix-id`. */
export interface ResendWebhookEvent {
  id: string;
  type: string;
  created_at: string;
  status: 'success' | 'pending' | 'failed' | 'attempting';
}

export interface ResendWebhookEventDetail extends ResendWebhookEvent {
  object: 'webhook_event';
  next_attempt_at: string | null;
  payload: WebhookEventDetailDto['payload'];
}

export interface ResendWebhookAttempt {
  id: string;
  /** 0 if there was no response; `error` contains the reason. */
  http_status_code: number;
  response: string;
  error: string | null;
  sent_at: string;
}

export function toResendWebhook({ id, url, created_at, status, events }: WebhookDto): ResendWebhook {
  return {
    id: toResendId(id),
    endpoint: url,
    url,
    created_at,
    status,
    events: events.includes('*') ? null : events,
  };
}

export function toResendWebhookEvent(event: WebhookEventDto): ResendWebhookEvent {
  return { id: event.id, type: event.type, created_at: event.created_at, status: statusOf(event) };
}

export function toResendWebhookEventDetail(event: WebhookEventDetailDto): ResendWebhookEventDetail {
  const { next_attempt_at, payload } = event;
  return { object: 'webhook_event', ...toResendWebhookEvent(event), next_attempt_at, payload };
}

function statusOf({ status, attempts }: WebhookEventDto): ResendWebhookEvent['status'] {
  switch (status) {
    case 'delivered':
      return 'success';
    case 'failed':
      return 'failed';
    case 'pending':
      return attempts === 0 ? 'pending' : 'attempting';
  }
}

export function toResendWebhookAttempt(attempt: WebhookAttemptDto): ResendWebhookAttempt {
  const { id, http_status_code, response, error, sent_at } = attempt;
  return { id, http_status_code: http_status_code ?? 0, response: response ?? '', error, sent_at };
}
