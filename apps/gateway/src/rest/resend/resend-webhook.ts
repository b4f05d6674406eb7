import type { WebhookAttemptView, WebhookEventDetail, WebhookEventView, WebhookView } from '#libs/webhooks';
import { toResendId } from './resend-id.js';

/** An endpoint in a list; its address under both names (see 4.3 of the interface: theirs and ours). */
export interface ResendWebhook {
  id: string;
  endpoint: string;
  url: string;
  created_at: string;
  status: 'enabled' | 'disabled';
  /** Null: all of them. */
  events: string[] | null;
}

/** An event keeps its id of ours, which is what receivers see in `svix-id`; so do its calls. */
export interface ResendWebhookEvent {
  id: string;
  type: string;
  created_at: string;
  status: 'success' | 'pending' | 'failed' | 'attempting';
}

export interface ResendWebhookEventDetail extends ResendWebhookEvent {
  object: 'webhook_event';
  next_attempt_at: string | null;
  payload: WebhookEventDetail['payload'];
}

export interface ResendWebhookAttempt {
  id: string;
  /** 0 without an answer; then `error` says why. */
  http_status_code: number;
  response: string;
  error: string | null;
  sent_at: string;
}

export function resendWebhook({ id, url, created_at, status, events }: WebhookView): ResendWebhook {
  return {
    id: toResendId(id),
    endpoint: url,
    url,
    created_at,
    status,
    events: events.includes('*') ? null : events,
  };
}

export function resendWebhookEvent(event: WebhookEventView): ResendWebhookEvent {
  return { id: event.id, type: event.type, created_at: event.created_at, status: statusOf(event) };
}

export function resendWebhookEventDetail(event: WebhookEventDetail): ResendWebhookEventDetail {
  const { next_attempt_at, payload } = event;
  return { object: 'webhook_event', ...resendWebhookEvent(event), next_attempt_at, payload };
}

function statusOf({ status, attempts }: WebhookEventView): ResendWebhookEvent['status'] {
  switch (status) {
    case 'delivered':
      return 'success';
    case 'failed':
      return 'failed';
    case 'pending':
      return attempts === 0 ? 'pending' : 'attempting';
  }
}

export function resendWebhookAttempt(attempt: WebhookAttemptView): ResendWebhookAttempt {
  const { id, http_status_code, response, error, sent_at } = attempt;
  return { id, http_status_code: http_status_code ?? 0, response: response ?? '', error, sent_at };
}
