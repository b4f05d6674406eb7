import { describe, expect, it } from 'vitest';
import { BOT_RULES, botVerdict, type Visit } from './bot-verdict.js';

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
const visit = (of: Partial<Visit> & { agent?: string }): Visit => ({
  kind: of.kind ?? 'open',
  method: of.method ?? 'GET',
  address: of.address ?? '198.51.100.7',
  headers: of.headers ?? { 'user-agent': of.agent ?? CHROME },
});

describe('botVerdict', () => {
  it.each([
    CHROME,
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)',
    'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Thunderbird/140.3.0',
    'Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 10.0; WOW64; Trident/7.0; Microsoft Outlook 16.0.17928; ms-office)',
    'Mozilla/5.0 (Linux; Android 14; CUBOT NOTE 50) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142 Mobile Safari/537.36',
  ])('takes %s for a person', (agent) => {
    for (const kind of ['open', 'click'] as const) expect(botVerdict(visit({ kind, agent }))).toBeNull();
  });

  it.each<[Partial<Visit> & { agent?: string }, string, string]>([
    [{ method: 'HEAD' }, 'head_request', 'head_request'],
    [{ headers: { 'user-agent': CHROME, 'sec-purpose': 'prefetch;prerender' } }, 'prefetch', 'prefetch_header'],
    [{ headers: { 'user-agent': CHROME, purpose: 'Prefetch' } }, 'prefetch', 'prefetch_header'],
    [{ agent: 'Mozilla/5.0' }, 'apple_mpp', 'apple_privacy_proxy'],
    [
      { agent: 'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)' },
      'gmail_proxy',
      'gmail_image_proxy',
    ],
    [
      { agent: 'YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html' },
      'yahoo_proxy',
      'yahoo_image_proxy',
    ],
    [{ kind: 'click', agent: `${CHROME} BingPreview/1.0b` }, 'outlook_scanner', 'outlook_link_preview'],
    [{ kind: 'click', address: '40.94.1.2' }, 'none', 'none'],
    [{ kind: 'click', address: '40.107.22.3' }, 'outlook_scanner', 'exchange_online_protection'],
    [{ kind: 'click', address: '148.163.130.9' }, 'scanner', 'proofpoint_scanner'],
    [{ agent: 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)' }, 'preview', 'message_preview'],
    [{ agent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' }, 'crawler', 'crawler'],
    [{ agent: 'curl/8.5.0' }, 'script', 'http_library'],
    [{ headers: {} }, 'script', 'no_user_agent'],
  ])('judges %o', (of, kind, rule) => {
    expect(botVerdict(visit(of))).toEqual(kind === 'none' ? null : { kind, rule });
  });

  it('judges clicks of a bare Mozilla/5.0 by the other rules: the privacy proxy loads images only', () => {
    expect(botVerdict(visit({ kind: 'click', agent: 'Mozilla/5.0' }))).toBeNull();
  });

  it('has a name for every rule', () => {
    expect(new Set(BOT_RULES).size).toBe(BOT_RULES.length);
  });
});
