import { describe, expect, it } from 'vitest';
import { composeNotice, type NoticeCause } from './compose-notice.js';

const context = { account: { id: 'acc_1', name: 'Bread & <Butter>' }, apiUrl: 'https://api.example' };
const at = '2026-03-04T05:06:07.000Z';
const pause = { paused_at: at, recipients: 12_345, hard_bounces: 1_500, complaints: 60 };

const moved = { changed_at: at, recipients: 12_345, hard_bounces: 3, complaints: 60, blocks: 2 };
const unknown = {
  changed_at: at,
  recipients: null,
  hard_bounces: null,
  complaints: null,
  blocks: null,
  limit_percent: null,
};

const CAUSES: [cause: NoticeCause, subject: string, says: string[]][] = [
  [
    { kind: 'webhook.failing', facts: { webhook_id: 'wh_1', url: 'https://hooks.example/x?key=1', failing_since: at } },
    'Webhook failing: hooks.example',
    ['https://hooks.example/x?key=1', '2026-03-04 05:06 UTC', 'https://api.example/webhooks/wh_1/events'],
  ],
  [
    {
      kind: 'webhook.disabled',
      facts: { webhook_id: 'wh_1', url: 'https://hooks.example/x', reason: 'gone', disabled_at: at },
    },
    'Webhook disabled: hooks.example',
    ['410 Gone', 'PATCH https://api.example/webhooks/wh_1', '{"from":"2026-03-04T05:06:07.000Z"}'],
  ],
  [
    { kind: 'account.allowance_warning', facts: { month: '2026-03', limit: 3_000, used: 2_400, percent: 80 } },
    '80% of the monthly allowance used',
    ['2,400', '3,000', 'https://api.example/usage'],
  ],
  [
    { kind: 'account.allowance_warning', facts: { month: '2026-03', limit: 3_000, used: 3_000, percent: 100 } },
    'Monthly allowance used up',
    ['429', 'monthly_quota_exceeded'],
  ],
  [
    { kind: 'account.paused', facts: { ...pause, reason: 'bounces', limit_percent: 10 } },
    'Sending is paused',
    ['1,500 (12.2%)', '12,345', 'status=bounced', 'ask the operator'],
  ],
  [
    { kind: 'account.paused', facts: { ...pause, reason: 'complaints', limit_percent: 0.3 } },
    'Sending is paused',
    ['60 (0.49%)', '0.3%', 'status=complained'],
  ],
  [{ kind: 'account.resumed', facts: { resumed_at: at } }, 'Sending is resumed', ['2026-03-04 05:06 UTC', '/stats']],
  [
    { kind: 'account.pool_changed', facts: { ...moved, pool: 'penalty', reason: 'complaints', limit_percent: 0.2 } },
    'Emails are sent from other addresses',
    ['Too many recipients reported', '12,345', '0.2%', '/account'],
  ],
  [
    { kind: 'account.pool_changed', facts: { ...unknown, pool: 'penalty', reason: 'operator' } },
    'Emails are sent from other addresses',
    ['The operator of the service decided so.', 'decides when your account is moved back'],
  ],
  [
    { kind: 'account.pool_changed', facts: { ...unknown, pool: 'default', reason: 'clean_days' } },
    'Emails are sent from the usual addresses again',
    ['within all limits for long enough'],
  ],
];

describe('a notice', () => {
  it.each(CAUSES)('about %j has the facts and what to do', (cause, subject, says) => {
    const notice = composeNotice(cause, context);
    expect(notice.subject).toBe(subject);
    expect(notice.text).toContain('"Bread & <Butter>" (acc_1)');
    for (const words of says) {
      expect(notice.text).toContain(words);
      expect(notice.html).toContain(words.replaceAll('"', '&quot;'));
    }
  });

  it.each(CAUSES)('about %j has the same words in both parts, and escapes them in HTML', (cause) => {
    const { text, html } = composeNotice(cause, context);
    const words = html
      .slice(html.indexOf('<body'))
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&amp;', '&');
    for (const sentence of text.split(/\n+| {2,}/).filter((line) => !['', '--'].includes(line)))
      expect(words).toContain(sentence.replace(/:$/, ''));
    expect(html).toContain('Bread &amp; &lt;Butter&gt;');
  });
});
