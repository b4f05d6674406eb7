import { parseUrl } from '#libs/kernel';
import type { NoticeFacts, NoticeKind, SendingPause } from '#libs/contracts';
import type { Notice } from '#libs/emails';
import { nameInMail } from './name-in-mail.js';

/** A notice as it was requested. */
export type NoticeCause = { [K in NoticeKind]: { kind: K; facts: NoticeFacts[K] } }[NoticeKind];

export interface NoticeContext {
  account: { id: string; name: string };
  /** Base URL of the API. */
  apiUrl: string;
}

export type ComposedNotice = Pick<Notice, 'kind' | 'subject' | 'text' | 'html'>;

/** The content of a notice: paragraphs of prose, and one list of facts. */
interface Draft {
  kind: Notice['kind'];
  subject: string;
  /** What happened. */
  lead: string;
  facts: [name: string, value: string][];
  /** What to do, one paragraph each. */
  steps: string[];
}

/** Writes a notice as plain text and as simple HTML with the same words. */
export function composeNotice(cause: NoticeCause, context: NoticeContext): ComposedNotice {
  const draft = draftOf(cause, context);
  return { kind: draft.kind, subject: draft.subject, text: textOf(draft, context), html: htmlOf(draft, context) };
}

function draftOf(cause: NoticeCause, context: NoticeContext): Draft {
  switch (cause.kind) {
    case 'webhook.failing':
      return webhookFailing(cause.facts, context);
    case 'webhook.disabled':
      return webhookDisabled(cause.facts, context);
    case 'account.allowance_warning':
      return allowance(cause.facts, context);
    case 'account.paused':
      return paused(cause.facts, context);
    case 'account.resumed':
      return resumed(cause.facts, context);
    case 'account.pool_changed':
      return poolChanged(cause.facts, context);
  }
}

function webhookFailing(facts: NoticeFacts['webhook.failing'], { apiUrl }: NoticeContext): Draft {
  return {
    kind: 'webhook_failing',
    subject: `Webhook failing: ${hostOf(facts.url)}`,
    lead: 'One of your webhook endpoints does not accept events at the moment.',
    facts: [
      ['Endpoint', facts.url],
      ['Webhook', facts.webhook_id],
      ['Failing since', timeOf(facts.failing_since)],
    ],
    steps: [
      'Each event is tried again for about three days, so nothing is lost if the endpoint works again by then. It must ' +
        'answer with a 2xx status within 15 seconds; redirects are not followed.',
      `The response to each attempt is listed by GET ${apiUrl}/webhooks/${facts.webhook_id}/events.`,
      'An endpoint that accepts nothing for three days is disabled.',
    ],
  };
}

const DISABLED_BECAUSE: Readonly<Record<string, string>> = {
  failing: 'It accepted no event for three days.',
  gone: 'It answered with 410 Gone, which means that it wants no more events.',
};

function webhookDisabled(facts: NoticeFacts['webhook.disabled'], { apiUrl }: NoticeContext): Draft {
  const url = `${apiUrl}/webhooks/${facts.webhook_id}`;
  return {
    kind: 'webhook_disabled',
    subject: `Webhook disabled: ${hostOf(facts.url)}`,
    lead: `One of your webhook endpoints was disabled. ${DISABLED_BECAUSE[facts.reason] ?? ''}`.trim(),
    facts: [
      ['Endpoint', facts.url],
      ['Webhook', facts.webhook_id],
      ['Disabled at', timeOf(facts.disabled_at)],
    ],
    steps: [
      'It receives no events until you enable it again. Emails are sent and delivered as before.',
      `When the endpoint works again, enable it with PATCH ${url} and the body {"status":"enabled"}.`,
      `Then send the missed events again with POST ${url}/replay and the body {"from":"${facts.disabled_at}"}.`,
    ],
  };
}

function allowance(facts: NoticeFacts['account.allowance_warning'], { apiUrl }: NoticeContext): Draft {
  const isUsedUp = facts.percent === 100;
  return {
    kind: 'allowance_warning',
    subject: isUsedUp ? 'Monthly allowance used up' : `${facts.percent}% of the monthly allowance used`,
    lead: isUsedUp
      ? 'Your account has used its whole allowance of this month.'
      : `Your account has used ${facts.percent}% of its allowance of this month.`,
    facts: [
      ['Month (UTC)', facts.month],
      ['Used', count(facts.used)],
      ['Allowance', count(facts.limit)],
    ],
    steps: [
      isUsedUp
        ? 'Further emails are refused with status 429 (monthly_quota_exceeded), over SMTP with 452, until the month ends. ' +
          'Emails that were accepted before are delivered.'
        : 'When the allowance is used up, further emails are refused with status 429 until the month ends.',
      `The current figures are at GET ${apiUrl}/usage. To send more in this month, ask the operator of the service for a larger plan.`,
    ],
  };
}

function paused(facts: SendingPause, { apiUrl }: NoticeContext): Draft {
  const isBounces = facts.reason === 'bounces';
  const bad = isBounces ? facts.hard_bounces : facts.complaints;
  const share = ((bad * 100) / facts.recipients).toFixed(isBounces ? 1 : 2);
  return {
    kind: 'sending_paused',
    subject: 'Sending is paused',
    lead: isBounces
      ? 'Too many of your emails bounced, so the sending of your account was paused.'
      : 'Too many recipients reported your emails as unwanted, so the sending of your account was paused.',
    facts: [
      ['Paused at', timeOf(facts.paused_at)],
      ['Recipients in the window', count(facts.recipients)],
      [isBounces ? 'Permanent bounces' : 'Complaints', `${count(bad)} (${share}%)`],
      ['Limit', `${facts.limit_percent}%`],
    ],
    steps: [
      'New emails are refused with status 403 (sending_paused), over SMTP with 554. Accepted emails that are still in the ' +
        'queue are held; they are delivered after the pause if their lifetime has not ended. Nothing else changes: you can ' +
        'read everything, and test keys work.',
      isBounces
        ? 'Find out where the addresses that do not exist come from: an old or bought list, a form without confirmation, or ' +
          'typing errors. Remove them before you send again.'
        : 'Find out which emails were reported and why. Send only to people who asked for it, and offer a visible way to ' +
          'unsubscribe.',
      `The recipients concerned are listed by GET ${apiUrl}/emails?status=${isBounces ? 'bounced' : 'complained'}, and GET ${apiUrl}/suppressions?origin=${isBounces ? 'bounce' : 'complaint'} has their addresses.`,
      'When the cause is removed, ask the operator of the service to resume your account.',
    ],
  };
}

function resumed(facts: NoticeFacts['account.resumed'], { apiUrl }: NoticeContext): Draft {
  return {
    kind: 'sending_resumed',
    subject: 'Sending is resumed',
    lead: 'Your account may send again.',
    facts: [['Resumed at', timeOf(facts.resumed_at)]],
    steps: [
      'New emails are accepted, and emails that were held go out within a minute. Emails that were refused during the ' +
        'pause were not stored: submit them again if they are still wanted.',
      `Bounces and complaints are counted from zero now. Their rates are at GET ${apiUrl}/stats; if they exceed the limits again, sending is paused again.`,
    ],
  };
}

type PoolChange = NoticeFacts['account.pool_changed'];

function poolChanged(facts: PoolChange, context: NoticeContext): Draft {
  return facts.pool === 'penalty' ? movedToPenaltyPool(facts, context) : movedBack(facts);
}

const MOVED_BECAUSE: Readonly<Record<PoolChange['reason'], string>> = {
  bounces: 'Too many of your emails bounced.',
  complaints: 'Too many recipients reported your emails as unwanted.',
  blocks: 'Too many of your emails were refused or deferred by mail servers as unwanted.',
  operator: 'The operator of the service decided so.',
  clean_days: 'Your account has sent within all limits for long enough.',
};

function movedToPenaltyPool(facts: PoolChange, { apiUrl }: NoticeContext): Draft {
  const { reason, recipients } = facts;
  const figures = { bounces: facts.hard_bounces, complaints: facts.complaints, blocks: facts.blocks } as const;
  const bad = reason in figures ? figures[reason as keyof typeof figures] : null;
  return {
    kind: 'pool_changed',
    subject: 'Emails are sent from other addresses',
    lead: `The emails of your account are sent from other source addresses now. ${MOVED_BECAUSE[reason]}`,
    facts: [
      ['Moved at', timeOf(facts.changed_at)],
      ...(bad === null || recipients === null
        ? []
        : ([
            ['Recipients in the window', count(recipients)],
            [NAMES[reason], count(bad)],
            ['Limit', `${facts.limit_percent}%`],
          ] satisfies [string, string][])),
    ],
    steps: [
      'Emails are accepted and delivered as before, but mail servers may defer or refuse more of those that come from these ' +
        'addresses. Thus the emails of other accounts are not affected.',
      reason === 'operator'
        ? 'The operator of the service decides when your account is moved back.'
        : 'Your account is moved back when it has sent within the limits for some days. If the rates rise further, its ' +
          'sending is paused.',
      `The figures are at GET ${apiUrl}/account.`,
    ],
  };
}

const NAMES: Readonly<Record<string, string>> = {
  bounces: 'Permanent bounces',
  complaints: 'Complaints',
  blocks: 'Refused or deferred as unwanted',
};

const movedBack = ({ reason, changed_at }: PoolChange): Draft => ({
  kind: 'pool_changed',
  subject: 'Emails are sent from the usual addresses again',
  lead: `The emails of your account are sent from the usual source addresses again. ${MOVED_BECAUSE[reason]}`,
  facts: [['Moved at', timeOf(changed_at)]],
  steps: ['You need not do anything.'],
});

function textOf({ lead, facts, steps }: Draft, context: NoticeContext): string {
  const width = Math.max(...facts.map(([name]) => name.length)) + 3;
  const list = facts.map(([name, value]) => `  ${`${name}:`.padEnd(width)}${value}`).join('\n');
  return [lead, list, ...steps, '--', ...footer(context)].join('\n\n').concat('\n');
}

function htmlOf({ subject, lead, facts, steps }: Draft, context: NoticeContext): string {
  const rows = facts
    .map(([name, value]) => `<tr><th align="left">${escaped(name)}</th><td>${escaped(value)}</td></tr>`)
    .join('\n');
  const paragraphs = (texts: readonly string[]) => texts.map((text) => `<p>${escaped(text)}</p>`).join('\n');
  return `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>${escaped(subject)}</title></head>
<body style="font-family: sans-serif; line-height: 1.5; max-width: 40em">
<h1 style="font-size: 1.3em">${escaped(subject)}</h1>
<p>${escaped(lead)}</p>
<table cellpadding="4">
${rows}
</table>
${paragraphs(steps)}
<hr>
<div style="color: #666; font-size: 0.9em">
${paragraphs(footer(context))}
</div>
</body>
</html>
`;
}

const footer = ({ account, apiUrl }: NoticeContext): string[] => [
  `This notice is about the account "${nameInMail(account.name)}" (${account.id}) at ${apiUrl}.`,
  'It is sent at most once a day for the same cause. PATCH /account with notify_addresses changes who receives notices.',
];

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const timeOf = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
const count = (value: number): string => value.toLocaleString('en-US');

/** A subject has no room for a whole URL, whose path may hold a secret. */
function hostOf(url: string): string {
  return parseUrl(url)?.host ?? 'your endpoint';
}
