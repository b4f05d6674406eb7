import type { EmailEventBase, ServiceEvent } from '#libs/contracts';
import { describe, expect, it } from 'vitest';
import { webhookBody, webhookEventName } from './webhook-matching.js';

const base = {
  id: 'em_1',
  email_id: 'em_1',
  created_at: '2026-01-01T00:00:00.000Z',
  message_id: '<1@example.com>',
  from: 'a@example.com',
  to: ['b@example.com'],
  subject: 'Hello',
  tags: {},
  recipient: 'b@example.com',
} satisfies EmailEventBase;
const envelope = { id: 'evt_1', account_id: 'acc_1', created_at: '2026-01-01T00:00:01.000Z' };
const queued: ServiceEvent<'email.queued'> = { ...envelope, type: 'email.queued', data: base };
const failed = (failure_type: 'temporary' | 'final'): ServiceEvent<'email.failed'> => ({
  ...envelope,
  type: 'email.failed',
  data: {
    ...base,
    failure_type,
    temporary: failure_type === 'temporary',
    reason: 'try later',
    smtp_code: 451,
    enhanced_code: '4.3.0',
    mx: null,
    ip: null,
    attempt: 1,
    next_attempt_at: null,
    failed: { reason: 'try later' },
  },
});

describe('webhookEventName', () => {
  it('is the native name for the star and for a kind that is listed', () => {
    expect(webhookEventName(['*'], queued)).toBe('email.queued');
    expect(webhookEventName(['email.sent', 'email.queued'], queued)).toBe('email.queued');
    expect(webhookEventName(['email.sent'], queued)).toBeNull();
  });

  it('calls a temporary failure delivery_delayed only where that is listed by name', () => {
    expect(webhookEventName(['*'], failed('temporary'))).toBe('email.failed');
    expect(webhookEventName(['email.failed'], failed('temporary'))).toBe('email.failed');
    expect(webhookEventName(['email.delivery_delayed'], failed('temporary'))).toBe('email.delivery_delayed');
    expect(webhookEventName(['email.delivery_delayed', 'email.failed'], failed('temporary'))).toBe(
      'email.delivery_delayed',
    );
    expect(webhookEventName(['email.delivery_delayed'], failed('final'))).toBeNull();
    expect(webhookEventName(['email.delivery_delayed', 'email.failed'], failed('final'))).toBe('email.failed');
  });
});

it('passes an event of a kind or a shape that this version does not know', () => {
  const strange = { ...queued, type: 'email.teleported', data: null } as unknown as ServiceEvent;
  expect(webhookEventName(['*'], strange)).toBe('email.teleported');
  expect(webhookEventName(['email.delivery_delayed'], { ...strange, type: 'email.failed' })).toBeNull();
});

describe('webhookBody', () => {
  it('has exactly type, created_at of the event, and data', () => {
    expect(JSON.parse(webhookBody('email.queued', queued))).toEqual({
      type: 'email.queued',
      created_at: '2026-01-01T00:00:01.000Z',
      data: base,
    });
  });
});
