import type { WebhookEventDetailDto } from '../../rest/webhooks/webhook-events.dto.js';
import type { Resend } from 'resend';
import { describe, expect, it } from 'vitest';
import {
  toResendWebhook,
  toResendWebhookAttempt,
  toResendWebhookEvent,
  toResendWebhookEventDetail,
  type ResendWebhook,
  type ResendWebhookAttempt,
  type ResendWebhookEventDetail,
} from './resend-webhook.js';

type Answer<Call extends (...given: never[]) => Promise<{ data: unknown }>> = NonNullable<
  Awaited<ReturnType<Call>>['data']
>;
type Shown = Answer<Resend['webhooks']['get']>;
type Listed = Answer<Resend['webhooks']['list']>['data'][number];
type Event = Answer<Resend['webhooks']['events']['get']>;
type Attempt = Answer<Resend['webhooks']['events']['attempts']['list']>['data'][number];

/** Event types are plain strings, because webhooks of the native API may have types that Resend does not know. */
type Loose<T> = { [K in keyof T]: K extends 'events' ? string[] | null : K extends 'type' ? string : T[K] };

const AT = '2026-01-31T09:30:00.000Z';
const event: WebhookEventDetailDto = {
  id: 'evt_01978c0e5f7b7c3a9d21f0b64c1e88aa',
  object: 'webhook_event',
  delivery_id: 'dlv_01978c0e5f7b7c3a9d21f0b64c1e88aa',
  webhook_id: 'wh_01978c0e5f7b7c3a9d21f0b64c1e88aa',
  type: 'email.sent',
  status: 'pending',
  attempts: 0,
  last_status: null,
  last_error: null,
  next_attempt_at: AT,
  created_at: AT,
  updated_at: AT,
  payload: { type: 'email.sent', created_at: AT, data: {} },
};

describe('webhooks of the Resend API', () => {
  it('have the types of the package', () => {
    // A compile-time check.
    const of = <T>(shown: T) => shown;
    of<(shown: ResendWebhook & { object: 'webhook'; signing_secret: string }) => Loose<Shown>>((shown) => shown);
    of<(shown: ResendWebhook) => Loose<Listed>>((shown) => shown);
    of<(shown: ResendWebhookEventDetail) => Loose<Omit<Event, 'payload'>>>((shown) => shown);
    of<(shown: ResendWebhookAttempt) => Attempt>((shown) => shown);
    expect(toResendWebhookEventDetail(event)).toEqual({
      object: 'webhook_event',
      id: event.id,
      type: 'email.sent',
      created_at: AT,
      status: 'pending',
      next_attempt_at: AT,
      payload: event.payload,
    });
  });

  it('have no list of events if they receive all of them', () => {
    const webhook = {
      id: 'wh_01978c0e5f7b7c3a9d21f0b64c1e88aa',
      object: 'webhook',
      url: 'https://example.com/',
      domain_ids: null,
      include_bots: false,
      status: 'enabled',
      disabled_reason: null,
      failing_since: null,
      previous_secret_expires_at: null,
      created_at: AT,
      updated_at: AT,
    } as const;
    expect(toResendWebhook({ ...webhook, events: ['*'] })).toEqual({
      id: '01978c0e-5f7b-7c3a-9d21-f0b64c1e88aa',
      endpoint: 'https://example.com/',
      url: 'https://example.com/',
      created_at: AT,
      status: 'enabled',
      events: null,
    });
    expect(toResendWebhook({ ...webhook, events: ['email.sent'] }).events).toEqual(['email.sent']);
  });

  it.each([
    ['pending', 0, 'pending'],
    ['pending', 1, 'attempting'],
    ['delivered', 2, 'success'],
    ['failed', 9, 'failed'],
  ] as const)('show the status %s after %d calls as %s', (status, attempts, expected) => {
    expect(toResendWebhookEvent({ ...event, status, attempts }).status).toBe(expected);
  });

  it('have status 0 and no text if there was no response', () => {
    const attempt = {
      id: 'atm_01978c0e5f7b7c3a9d21f0b64c1e88aa',
      object: 'webhook_attempt',
      number: 1,
      http_status_code: null,
      error: 'timeout',
      latency_ms: null,
      response: null,
      sent_at: AT,
    } as const;
    expect(toResendWebhookAttempt(attempt)).toEqual({
      id: attempt.id,
      http_status_code: 0,
      response: '',
      error: 'timeout',
      sent_at: AT,
    });
  });
});
