import { BOTS, DISABLED_BECAUSE, DOMAIN_CHANGES, FAILURES } from '../../generated/constants.ts';

/** The members of event data that are shown; see docs/webhooks.md. */
export interface EventData {
  recipient?: string;
  subject?: string;
  attempt?: number;
  temporary?: boolean;
  smtp_code?: number | null;
  enhanced_code?: string | null;
  smtp_response?: string;
  bounce_message?: string;
  reason?: string | null;
  click_url?: string;
  click?: { userAgent?: string | null };
  user_agent?: string | null;
  bot_kind?: string | null;
  scheduled_at?: string;
  feedback_type?: string;
  next_attempt_at?: string | null;
  name?: string;
  email?: string;
  origin?: string;
  url?: string;
  message?: string;
  percent?: number;
}

const SUPPRESSIONS: Record<string, string> = {
  bounce: 'Address suppressed after a bounce',
  complaint: 'Address suppressed after a complaint',
  manual: 'Address suppressed manually',
  unsubscribe: 'Recipient has unsubscribed',
};

/** The reply of the remote server, the link of a click, the reason of a failure or change, or ''. */
export function detailOf(type: string, data: EventData): string {
  const [subject, name] = type.split('.');
  const { reason } = data;
  if (subject !== 'email') return changeOf(data);
  if (name === 'suppressed') return SUPPRESSIONS[reason ?? ''] ?? reason ?? '';
  const text = data.smtp_response ?? data.bounce_message ?? (reason && failureOf(reason));
  return text ? withCode(text, [data.smtp_code, data.enhanced_code]) : activityOf(data);
}

/** The detail of an event without a reply or a failure. */
function activityOf(data: EventData): string {
  return joined([
    data.click_url,
    data.bot_kind && `by ${BOTS[data.bot_kind as keyof typeof BOTS] ?? 'a program'}`,
    data.user_agent ?? data.click?.userAgent,
    data.feedback_type,
    data.scheduled_at && `for ${new Date(data.scheduled_at).toLocaleString()}`,
  ]);
}

/** A temporary failure, after which delivery is retried. */
export const isDeferral = (type: string, { temporary }: EventData): boolean =>
  type === 'email.failed' && temporary === true;

/** A reply with its codes, unless its text begins with them. */
export function withCode(text: string, codes: (string | number | null | undefined)[]): string {
  const code = codes.filter(Boolean).join(' ');
  return text.startsWith(code) ? text : `${code} ${text}`.trim();
}

/** `expired: …` begins with a word for programs. */
function failureOf(reason: string): string {
  const [word] = reason.split(':', 1);
  const sentence = FAILURES[word as keyof typeof FAILURES] as string | undefined;
  return sentence === undefined ? reason : sentence + reason.slice(word.length);
}

const CHANGES: Readonly<Record<string, string>> = { ...DOMAIN_CHANGES, ...DISABLED_BECAUSE };

/** The reason of a change of a domain, a webhook or an account; reasons of suppressions are texts. */
const changeWords = (reason: string | null | undefined): string | undefined =>
  reason ? (CHANGES[reason] ?? reason) : undefined;

/** The detail of an event that is not about an email. */
function changeOf({ name, email, url, origin, reason, message, percent }: EventData): string {
  const used = percent === undefined ? undefined : `${percent}% of the monthly allowance is used`;
  return joined([name ?? email ?? url, changeWords(reason) ?? origin, message, used]);
}

const joined = (parts: (string | null | undefined)[]): string => parts.filter(Boolean).join(' · ');
