import type { EmailQuery } from '../../graphql/generated.ts';

type Email = NonNullable<EmailQuery['email']>;
export type Attempt = Email['attempts']['nodes'][number];

/** One line of the history: an event with the attempt that caused it, or an attempt without an event of its own. */
export interface Entry {
  id: string;
  at: string;
  /** The type of the event, as webhooks receive it; null for an attempt alone. */
  type: string | null;
  /** The color and the words. */
  status: string;
  title: string;
  recipient: string | null;
  /** The reply of the server, the link of a click, the reason, or ''. */
  words: string;
  attempt: Attempt | null;
  nextAttemptAt: string | null;
}

/** The members of event data that are shown; see docs/webhooks.md. */
interface Data {
  recipient?: string;
  attempt?: number;
  temporary?: boolean;
  smtp_code?: number | null;
  enhanced_code?: string | null;
  smtp_response?: string;
  bounce_message?: string;
  reason?: string;
  click_url?: string;
  user_agent?: string | null;
  bot_kind?: string | null;
  scheduled_at?: string;
  feedback_type?: string;
  next_attempt_at?: string | null;
}

const TITLES: Record<string, string> = {
  queued: 'Accepted',
  scheduled: 'Scheduled',
  sent: 'Sending',
  delivered: 'Delivered',
  bounced: 'Bounced',
  failed: 'Failed for good',
  suppressed: 'Not sent: suppressed',
  canceled: 'Canceled',
  opened: 'Opened',
  clicked: 'Clicked',
  complained: 'Reported as unwanted',
  unsubscribed: 'Unsubscribed',
};

/** An attempt ends before its event is written, in the same transaction or soon after. */
const SAME_MS = 2_000;
const SETTLED = new Set(['email.delivered', 'email.bounced', 'email.failed']);

/** Events and attempts as one history, oldest first. */
export function historyOf({ events, attempts }: Pick<Email, 'events' | 'attempts'>): Entry[] {
  const left = new Set(attempts.nodes);
  const entries = events.nodes.map((event) => {
    const data = event.data as Data;
    const attempt = SETTLED.has(event.type) ? attemptOf(data, event.createdAt, [...left]) : null;
    if (attempt !== null) left.delete(attempt);
    return entryOf(event, data, attempt);
  });
  return [...entries, ...[...left].map(entryOfAttempt)].toSorted((a, b) => a.at.localeCompare(b.at));
}

function attemptOf(data: Data, at: string, left: Attempt[]): Attempt | null {
  const own = left.filter(({ recipient }) => recipient === data.recipient);
  const numbered = own.find(({ number }) => number === data.attempt);
  const near = own.find(({ endedAt }) => Math.abs(Date.parse(endedAt) - Date.parse(at)) < SAME_MS);
  return numbered ?? near ?? null;
}

function entryOf(event: Email['events']['nodes'][number], data: Data, attempt: Attempt | null): Entry {
  const word = event.type.split('.').at(-1) ?? event.type;
  const isDeferral = word === 'failed' && data.temporary === true;
  return {
    id: event.id,
    at: event.createdAt,
    type: event.type,
    status: isDeferral ? 'deferred' : word,
    title: isDeferral ? 'Deferred, to be tried again' : (TITLES[word] ?? word),
    recipient: data.recipient ?? null,
    words: wordsOf(data),
    attempt,
    nextAttemptAt: data.next_attempt_at ?? null,
  };
}

function wordsOf(data: Data): string {
  const reply = data.smtp_response ?? data.bounce_message ?? data.reason;
  const code = [data.smtp_code, data.enhanced_code].filter(Boolean).join(' ');
  if (reply !== undefined) return reply.startsWith(code) ? reply : `${code} ${reply}`;
  const visit = [data.click_url, data.bot_kind && `by a ${data.bot_kind.replaceAll('_', ' ')}`, data.user_agent];
  return [...visit, data.feedback_type, data.scheduled_at && `for ${new Date(data.scheduled_at).toLocaleString()}`]
    .filter(Boolean)
    .join(' · ');
}

function entryOfAttempt(attempt: Attempt): Entry {
  const { id, endedAt, outcome, recipient, smtp, number } = attempt;
  return {
    id,
    at: endedAt,
    type: null,
    status: outcome,
    title: `Attempt ${number}: ${outcome}`,
    recipient,
    words: replyOf(smtp),
    attempt,
    nextAttemptAt: null,
  };
}

export function replyOf(smtp: Attempt['smtp']): string {
  if (!smtp) return '';
  const text = smtp.text ?? '';
  const code = [smtp.code, smtp.enhanced].filter(Boolean).join(' ');
  return text.startsWith(code) ? text : `${code} ${text}`.trim();
}

/** The verdict on the encryption of an attempt. */
export function tlsOf({ security, tlsPolicy, smtp }: Attempt): { title: string; detail: string } {
  if (security)
    return {
      title: security.version,
      detail: `${security.policy}, certificate ${security.verified ? 'verified' : 'not verified'}`,
    };
  return { title: smtp?.mx ? 'no TLS' : '–', detail: tlsPolicy ?? '' };
}
