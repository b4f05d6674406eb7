import type { DeliveryJob } from '#libs/emails';
import { printableText, type Outcome } from '#libs/mta';
import type { LateReport } from './late-bounce.js';
import { nextAttemptAt } from './retry-schedule.js';

type Recipient = DeliveryJob['recipients'][number];

/** The consequences of an attempt for its recipient, computed before anything is written. */
export type RecipientOutcome = {
  recipient: Recipient;
  attempt: Exclude<Outcome, { kind: 'abandoned' }>;
  /** Number of attempts including this one. */
  attemptNumber: number;
  /** Set for simulated outcomes; `report` is recorded right afterwards. */
  simulated?: { report: LateReport | null };
} & (
  | { status: 'delivered' }
  | { status: 'deferred'; nextAt: Date }
  | { status: 'bounced'; bounceType: 'hard' | 'soft' | 'undetermined'; bounceClass: string }
  | { status: 'failed'; reason: string }
);

/**
 * RFC 3463: 5.1.2, the recipient's domain does not exist. A single answer is not enough: a zone outage looks the same.
 */
const BAD_DOMAIN = '5.1.2';

export function recipientOutcome(
  recipient: Recipient,
  answered: Exclude<Outcome, { kind: 'abandoned' }>,
  scheduleMs: readonly number[],
): RecipientOutcome {
  const attempt = confirmMissingDomain(recipient, {
    ...answered,
    reply: { ...answered.reply, text: printableText(answered.reply.text) },
  });
  const common = { recipient, attempt, attemptNumber: recipient.attempts + 1 };
  switch (attempt.kind) {
    case 'delivered':
      return { ...common, status: 'delivered' };
    case 'bounced':
      return { ...common, status: 'bounced', bounceType: attempt.bounceType, bounceClass: attempt.class };
    case 'deferred': {
      const nextAt = nextAttemptAt({
        scheduleMs,
        attempts: common.attemptNumber,
        endedAt: attempt.endedAt,
        expiresAt: recipient.expiresAt,
        askedMs: attempt.retryAfterMs,
      });
      return nextAt ? { ...common, status: 'deferred', nextAt } : { ...common, status: 'failed', reason: 'expired' };
    }
  }
}

/** A second answer that the domain does not exist makes it a bounce, for the attempt and for the recipient. */
function confirmMissingDomain(recipient: Recipient, attempt: RecipientOutcome['attempt']): RecipientOutcome['attempt'] {
  if (!reportsMissingDomain(attempt) || recipient.previousEnhanced !== BAD_DOMAIN) return attempt;
  const { key, startedAt, endedAt, phase, reply, remote } = attempt;
  return { kind: 'bounced', key, startedAt, endedAt, phase, reply, remote, class: attempt.class, bounceType: 'hard' };
}

/** True if DNS said so. A server that returns this code in a temporary reply is believed that it is temporary. */
const reportsMissingDomain = (
  attempt: RecipientOutcome['attempt'],
): attempt is Extract<Outcome, { kind: 'deferred' }> =>
  attempt.kind === 'deferred' && attempt.phase === 'dns' && attempt.reply.enhanced === BAD_DOMAIN;
