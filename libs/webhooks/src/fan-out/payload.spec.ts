import type { EmailEventBase, LoggedEvent, ServiceEvent } from '#libs/contracts';
import { describe, expect, it } from 'vitest';
import type { EnabledWebhook } from './subscriber-lookup.js';
import { webhookPayload, eventNameFor } from './payload.js';

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

const logged = (event: ServiceEvent, domainId: string | null = 'dom_1'): LoggedEvent => ({
  event,
  key: 'em_1',
  sequence: 1,
  apiKeyId: null,
  domainId,
  test: false,
  position: 1,
});
const nameAt = (webhook: Partial<EnabledWebhook>, event: LoggedEvent) =>
  eventNameFor(
    { id: 'wh_1', events: ['*'], domain_ids: null, include_bots: false, payload_format: 'native', ...webhook },
    event,
  );

describe('eventNameFor', () => {
  const [temporary, final] = [logged(failed('temporary')), logged(failed('final'))];

  it('is null for login mail of the service, and not for mail of a key with the same tag', () => {
    const reset = logged({ ...queued, data: { ...queued.data, tags: { notice: 'login' } } });
    expect(nameAt({}, reset)).toBeNull();
    expect(nameAt({}, { ...reset, apiKeyId: 'key_1' })).toBe('email.queued');
  });

  it('is the native name for * and for a listed type', () => {
    expect(nameAt({ events: ['*'] }, logged(queued))).toBe('email.queued');
    expect(nameAt({ events: ['email.sent', 'email.queued'] }, logged(queued))).toBe('email.queued');
    expect(nameAt({ events: ['email.sent'] }, logged(queued))).toBeNull();
  });

  it('calls a temporary failure delivery_delayed only if that is listed by name', () => {
    expect(nameAt({ events: ['*'] }, temporary)).toBe('email.failed');
    expect(nameAt({ events: ['email.failed'] }, temporary)).toBe('email.failed');
    expect(nameAt({ events: ['email.delivery_delayed'] }, temporary)).toBe('email.delivery_delayed');
    expect(nameAt({ events: ['email.delivery_delayed', 'email.failed'] }, temporary)).toBe('email.delivery_delayed');
    expect(nameAt({ events: ['email.delivery_delayed'] }, final)).toBeNull();
    expect(nameAt({ events: ['email.delivery_delayed', 'email.failed'] }, final)).toBe('email.failed');
  });

  it('always calls it so in the format resend, where failed is final', () => {
    const payload_format = 'resend';
    expect(nameAt({ payload_format, events: ['*'] }, temporary)).toBe('email.delivery_delayed');
    expect(nameAt({ payload_format, events: ['email.delivery_delayed'] }, temporary)).toBe('email.delivery_delayed');
    expect(nameAt({ payload_format, events: ['email.failed'] }, temporary)).toBeNull();
    expect(nameAt({ payload_format, events: ['email.failed'] }, final)).toBe('email.failed');
  });

  it('is null for domains outside the filter, and for events without a domain', () => {
    expect(nameAt({ domain_ids: ['dom_1', 'dom_2'] }, logged(queued))).toBe('email.queued');
    expect(nameAt({ domain_ids: ['dom_2'] }, logged(queued))).toBeNull();
    expect(nameAt({ domain_ids: ['dom_2'] }, logged(queued, null))).toBeNull();
  });
});

it('tolerates events of an unknown type or shape', () => {
  const strange = { ...queued, type: 'email.teleported', data: null } as unknown as ServiceEvent;
  expect(nameAt({}, logged(strange))).toBe('email.teleported');
  expect(nameAt({ payload_format: 'resend' }, logged(strange))).toBe('email.teleported');
  expect(JSON.parse(webhookPayload('email.teleported', strange, { format: 'resend', region: 'eu' }))).toMatchObject({
    data: null,
  });
  expect(nameAt({ events: ['email.delivery_delayed'] }, logged({ ...strange, type: 'email.failed' }))).toBeNull();
});

describe('webhookPayload', () => {
  it('has exactly type, created_at of the event, and data', () => {
    expect(JSON.parse(webhookPayload('email.queued', queued, { format: 'native', region: 'eu' }))).toEqual({
      type: 'email.queued',
      created_at: '2026-01-01T00:00:01.000Z',
      data: base,
    });
  });
});
