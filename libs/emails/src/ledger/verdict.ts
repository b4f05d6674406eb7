import { printableText, type Outcome } from '#libs/mta';
import type { ClaimedRecipient } from './delivery-job.js';
import type { LateReport } from './late-report.js';
import { nextAttemptAt } from './retry-schedule.js';

/** What an attempt's outcome means for its recipient, decided before anything is written. */
export type Verdict = {
  recipient: ClaimedRecipient;
  outcome: Exclude<Outcome, { kind: 'abandoned' }>;
  /** Attempts including this one. */
  attempts: number;
  /** Nothing was sent: the simulator answered, and this is heard right afterwards. */
  simulated?: { report: LateReport | null };
} & (
  | { status: 'delivered' }
  | { status: 'deferred'; nextAt: Date }
  | { status: 'bounced'; bounceType: 'hard' | 'soft' | 'undetermined'; bounceClass: string }
  | { status: 'failed'; reason: string }
);

/** RFC 3463: 5.1.2, the recipient's domain does not exist. One look is not enough: a zone outage looks the same. */
const BAD_DOMAIN = '5.1.2';

export function judge(
  recipient: ClaimedRecipient,
  answered: Exclude<Outcome, { kind: 'abandoned' }>,
  scheduleMs: readonly number[],
): Verdict {
  const outcome = agreed(recipient, {
    ...answered,
    reply: { ...answered.reply, text: printableText(answered.reply.text) },
  });
  const common = { recipient, outcome, attempts: recipient.attempts + 1 };
  switch (outcome.kind) {
    case 'delivered':
      return { ...common, status: 'delivered' };
    case 'bounced':
      return { ...common, status: 'bounced', bounceType: outcome.bounceType, bounceClass: outcome.class };
    case 'deferred': {
      const nextAt = nextAttemptAt({
        scheduleMs,
        attempts: common.attempts,
        endedAt: outcome.endedAt,
        expiresAt: recipient.expiresAt,
        askedMs: outcome.retryAfterMs,
      });
      return nextAt ? { ...common, status: 'deferred', nextAt } : { ...common, status: 'failed', reason: 'expired' };
    }
  }
}

/** The second look that finds no domain either makes it a bounce, for the attempt as for the recipient. */
function agreed(recipient: ClaimedRecipient, outcome: Verdict['outcome']): Verdict['outcome'] {
  if (!saysNoDomain(outcome) || recipient.previousEnhanced !== BAD_DOMAIN) return outcome;
  const { key, startedAt, endedAt, phase, reply, remote } = outcome;
  return { kind: 'bounced', key, startedAt, endedAt, phase, reply, remote, class: outcome.class, bounceType: 'hard' };
}

/** DNS said so to us; a server that gives this code to a temporary refusal is believed that it is temporary. */
const saysNoDomain = (outcome: Verdict['outcome']): outcome is Extract<Outcome, { kind: 'deferred' }> =>
  outcome.kind === 'deferred' && outcome.phase === 'dns' && outcome.reply.enhanced === BAD_DOMAIN;
