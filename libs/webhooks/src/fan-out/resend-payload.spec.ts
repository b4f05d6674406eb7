import type { EmailEventBase, EventData, ServiceEvent } from '#libs/contracts';
import type { WebhookEventPayload } from 'resend';
import { describe, expect, it } from 'vitest';
import { resendData } from './resend-payload.js';

const ID = '01978c0e5f7b7c3a9d21f0b64c1e88aa';
const UUID = '01978c0e-5f7b-7c3a-9d21-f0b64c1e88aa';
const AT = '2026-01-31T09:30:00.000Z';

const base: EmailEventBase = {
  id: `em_${ID}`,
  email_id: `em_${ID}`,
  created_at: AT,
  message_id: '<1@example.com>',
  from: 'Shop <shop@example.com>',
  to: ['ada@example.net'],
  subject: 'Hello',
  tags: { order: '7' },
  recipient: 'ada@example.net',
};
const clicked: EventData['email.clicked'] = {
  ...base,
  click_url: 'https://example.com/',
  clicked_at: AT,
  is_bot: false,
  bot_kind: null,
  bot_rule: null,
  click: { link: 'https://example.com/', timestamp: AT, ipAddress: null, userAgent: null },
};
const bounced: EventData['email.bounced'] = {
  ...base,
  smtp_code: 550,
  enhanced_code: '5.1.1',
  mx: 'mx.example.net',
  ip: '192.0.2.1',
  bounce_type: 'hard',
  bounce_message: 'no such user',
  bounce_class: 'invalid_recipient',
  bounce: { type: 'Permanent', subType: 'General', message: 'no such user' },
};
const domain: EventData['domain.updated'] = {
  id: `dom_${ID}`,
  name: 'mail.example.com',
  status: 'active',
  reason: 'verified',
  warning_since: null,
  records: [{ record: 'SPF', type: 'TXT', name: 'mail', value: 'v=spf1 ~all', status: 'verified', required: true }],
  created_at: AT,
};
const suppression: EventData['suppression.added'] = {
  id: `sup_${ID}`,
  email: 'ada@example.net',
  origin: 'unsubscribe',
  reason: null,
  source_id: `em_${ID}`,
  domain_id: null,
  expires_at: null,
  created_at: AT,
};

const dataOf = (type: string, data: object | null) =>
  resendData({ type, data } as unknown as ServiceEvent, 'eu') as never;

describe('resendData', () => {
  it('conforms to the types of the resend package', () => {
    // What matters here is that this compiles field by field; `dataOf` itself has no type to show.
    type DataOf<T extends WebhookEventPayload['type']> = Extract<WebhookEventPayload, { type: T }>['data'];
    const clickOf: DataOf<'email.clicked'> = { ...clicked, click: { ...clicked.click, ipAddress: '', userAgent: '' } };
    const bounceOf: DataOf<'email.bounced'> = bounced;
    const domainOf: DataOf<'domain.updated'> = {
      ...domain,
      status: 'verified',
      region: 'eu-west-1',
      records: domain.records.map((record) => ({ ...record, ttl: 'Auto' })),
    };
    const suppressionOf: DataOf<'suppression.added'> = { ...suppression, origin: 'manual' };
    expect(dataOf('email.clicked', clicked)).toEqual({ ...clickOf, id: UUID, email_id: UUID });
    expect(dataOf('email.bounced', bounced)).toEqual({ ...bounceOf, id: UUID, email_id: UUID });
    expect(dataOf('domain.updated', domain)).toEqual({ ...domainOf, id: UUID });
    expect(dataOf('suppression.added', suppression)).toEqual({ ...suppressionOf, id: UUID, source_id: UUID });
  });

  it('identifies endpoints by UUIDs', () => {
    expect(dataOf('webhook.test', { webhook_id: `wh_${ID}`, message: 'x' })).toEqual({
      webhook_id: UUID,
      message: 'x',
    });
  });

  it('passes unknown data unchanged', () => {
    expect(dataOf('account.allowance_warning', { percent: 80 })).toEqual({ percent: 80 });
    expect(dataOf('email.teleported', { id: 7 })).toEqual({ id: 7 });
    expect(dataOf('domain.updated', { id: 'x' })).toMatchObject({ id: 'x' });
    expect(dataOf('email.sent', null)).toBeNull();
  });
});
