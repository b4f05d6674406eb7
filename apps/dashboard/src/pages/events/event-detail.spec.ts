import { describe, expect, it } from 'vitest';
import { detailOf, isDeferral, withCode } from './event-detail.ts';

describe('detailOf', () => {
  it.each([
    ['email.delivered', { smtp_response: '250 2.0.0 OK', subject: 'Hello' }, '250 2.0.0 OK'],
    [
      'email.bounced',
      { bounce_message: 'no such user', smtp_code: 550, enhanced_code: '5.1.1' },
      '550 5.1.1 no such user',
    ],
    ['email.bounced', { bounce_message: 'no such user', smtp_code: null }, 'no such user'],
    ['email.failed', { temporary: true, reason: '451 4.7.1 Later', smtp_code: 451 }, '451 4.7.1 Later'],
    [
      'email.failed',
      { reason: 'expired: no reply', smtp_code: null, enhanced_code: '5.4.7' },
      '5.4.7 Not delivered in time: no reply',
    ],
    ['email.suppressed', { reason: 'complaint' }, 'Address suppressed after a complaint'],
    ['email.suppressed', { reason: 'list' }, 'list'],
    [
      'email.clicked',
      { click_url: 'https://example.com', click: { userAgent: 'Firefox' } },
      'https://example.com · Firefox',
    ],
    ['email.clicked', { click_url: 'https://example.com', click: { userAgent: null } }, 'https://example.com'],
    ['email.opened', { bot_kind: 'outlook_scanner', user_agent: null }, 'by a scanner of Microsoft'],
    ['email.opened', { bot_kind: null, user_agent: 'Thunderbird' }, 'Thunderbird'],
    ['email.opened', { user_agent: null }, ''],
    ['email.complained', { feedback_type: 'abuse' }, 'abuse'],
    ['email.queued', { subject: 'Hello' }, ''],
    ['domain.updated', { name: 'example.com', reason: 'dkim_rotating' }, 'example.com · new DKIM key created'],
    ['suppression.added', { email: 'a@example.com', reason: null, origin: 'bounce' }, 'a@example.com · bounce'],
    [
      'webhook.disabled',
      { url: 'https://example.com', reason: 'gone' },
      'https://example.com · the endpoint answered 410 Gone',
    ],
    ['webhook.test', { message: 'A test' }, 'A test'],
    ['account.allowance_warning', { percent: 80 }, '80% of the monthly allowance is used'],
    ['account.paused', { reason: 'bounces' }, 'bounces'],
  ])('%s %j', (type, data, detail) => {
    expect(detailOf(type, data)).toBe(detail);
  });
});

describe('isDeferral', () => {
  it.each([
    ['email.failed', { temporary: true }, true],
    ['email.failed', { temporary: false }, false],
    ['email.bounced', {}, false],
  ])('%s %j: %s', (type, data, expected) => {
    expect(isDeferral(type, data)).toBe(expected);
  });
});

describe('withCode', () => {
  it.each([
    ['OK', [250, '2.0.0'], '250 2.0.0 OK'],
    ['250 2.0.0 OK', [250, '2.0.0'], '250 2.0.0 OK'],
    ['', [250, null], '250'],
    ['Later', [null, undefined], 'Later'],
  ])('%j with %j', (text, codes, expected) => {
    expect(withCode(text, codes)).toBe(expected);
  });
});
