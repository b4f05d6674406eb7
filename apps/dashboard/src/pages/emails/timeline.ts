import { TLS_POLICIES } from '../../generated/constants.ts';
import type { EmailQuery } from '../../graphql/generated.ts';
import { detailOf, isDeferral, withCode, type EventData } from '../events/event-detail.ts';

type Email = NonNullable<EmailQuery['email']>;
export type Attempt = Email['attempts']['nodes'][number];

/** One line of the history: an event with the attempt that caused it, or an attempt without an event of its own. */
export interface Entry {
  id: string;
  at: string;
  /** The type of the event, as webhooks receive it; null for an attempt alone. */
  type: string | null;
  /** Determines the color. */
  status: string;
  title: string;
  recipient: string | null;
  /** The reply of the server, the link of a click, the reason, or ''. */
  detail: string;
  attempt: Attempt | null;
  nextAttemptAt: string | null;
}

const TITLES: Record<string, string> = {
  queued: 'Accepted',
  scheduled: 'Scheduled',
  sent: 'Sending',
  delivered: 'Delivered',
  bounced: 'Bounced',
  failed: 'Failed permanently',
  suppressed: 'Not sent: suppressed',
  canceled: 'Canceled',
  opened: 'Opened',
  clicked: 'Clicked',
  complained: 'Marked as spam',
  unsubscribed: 'Unsubscribed',
};

/** An attempt ends before its event is written, in the same transaction or soon after. */
const SAME_MS = 2_000;
const SETTLED = new Set(['email.delivered', 'email.bounced', 'email.failed']);

/** Events and attempts as one history, oldest first. */
export function historyOf({ events, attempts }: Pick<Email, 'events' | 'attempts'>): Entry[] {
  const left = new Set(attempts.nodes);
  const entries = (events?.nodes ?? []).map((event) => {
    const data = event.data as EventData;
    const attempt = SETTLED.has(event.type) ? attemptOf(data, event.createdAt, [...left]) : null;
    if (attempt !== null) left.delete(attempt);
    return entryOf(event, data, attempt);
  });
  return [...entries, ...[...left].map(entryOfAttempt)].toSorted((a, b) => a.at.localeCompare(b.at));
}

function attemptOf(data: EventData, at: string, left: Attempt[]): Attempt | null {
  const own = left.filter(({ recipient }) => recipient === data.recipient);
  const numbered = own.find(({ number }) => number === data.attempt);
  const near = own.find(({ endedAt }) => Math.abs(Date.parse(endedAt) - Date.parse(at)) < SAME_MS);
  return numbered ?? near ?? null;
}

function entryOf(
  event: NonNullable<Email['events']>['nodes'][number],
  data: EventData,
  attempt: Attempt | null,
): Entry {
  const word = event.type.split('.').at(-1) ?? event.type;
  const deferred = isDeferral(event.type, data);
  return {
    id: event.id,
    at: event.createdAt,
    type: event.type,
    status: deferred ? 'deferred' : word,
    title: deferred ? 'Deferred, will be retried' : (TITLES[word] ?? word),
    recipient: data.recipient ?? null,
    detail: detailOf(event.type, data),
    attempt,
    nextAttemptAt: data.next_attempt_at ?? null,
  };
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
    detail: replyOf(smtp),
    attempt,
    nextAttemptAt: null,
  };
}

export function replyOf(smtp: Pick<NonNullable<Attempt['smtp']>, 'code' | 'enhanced' | 'text'> | null): string {
  if (!smtp) return '';
  return withCode(smtp.text ?? '', [smtp.code, smtp.enhanced]);
}

/** How an attempt was encrypted. */
export function tlsOf({ security, tlsPolicy, smtp }: Attempt): { title: string; detail: string } {
  if (security)
    return {
      title: security.version,
      detail: `${policyOf(security.policy)}, certificate ${security.verified ? 'verified' : 'not verified'}`,
    };
  return { title: smtp?.mx ? 'no TLS' : '–', detail: tlsPolicy === null ? '' : policyOf(tlsPolicy) };
}

const policyOf = (policy: string): string => TLS_POLICIES[policy as keyof typeof TLS_POLICIES] ?? policy;
