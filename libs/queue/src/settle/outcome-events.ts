import type { RoutedEvent } from '#libs/contracts';
import { type DeliveryJob, emailEvent } from '#libs/emails';
import { bounceFields } from './late-bounce.js';
import type { RecipientOutcome } from './recipient-outcome.js';

/**
 * `email.sent` with the first attempt, then the result. Of several temporary failures only the first emits an event.
 */
export function eventsOf({ email }: DeliveryJob, outcome: RecipientOutcome, nextSequence: () => number): RoutedEvent[] {
  const { attempt, recipient, attemptNumber } = outcome;
  const recipientOf = { recipient: recipient.address };
  const events: RoutedEvent[] = [];
  // A scheduled message is accepted at once but enters the queue at its scheduled time.
  if (attemptNumber === 1 && email.releasedAt > email.createdAt)
    events.push(
      emailEvent(email, {
        ...recipientOf,
        type: 'email.queued',
        at: email.releasedAt,
        sequence: nextSequence(),
        added: {},
      }),
    );
  if (attemptNumber === 1)
    events.push(
      emailEvent(email, {
        ...recipientOf,
        type: 'email.sent',
        at: attempt.startedAt,
        sequence: nextSequence(),
        added: { attempt: 1 },
      }),
    );
  // Attempts between the first failure and the last appear in `attempts` only.
  if (outcome.status !== 'deferred' || attemptNumber === 1) events.push(resultEvent(email, outcome, nextSequence()));
  return events;
}

function resultEvent(email: DeliveryJob['email'], outcome: RecipientOutcome, sequence: number): RoutedEvent {
  const { code, enhanced, text } = outcome.attempt.reply;
  const { mx, ip } = outcome.attempt.remote;
  const common = { recipient: outcome.recipient.address, at: outcome.attempt.endedAt, sequence };
  switch (outcome.status) {
    case 'delivered': {
      const added = {
        queued_at: email.releasedAt.toISOString(),
        delivered_at: outcome.attempt.endedAt.toISOString(),
        smtp_response: [code, enhanced, text].filter((part) => part !== null && part !== '').join(' '),
        mx,
        ip,
      };
      return emailEvent(email, { ...common, type: 'email.delivered', added });
    }
    case 'bounced': {
      const { bounceType, bounceClass } = outcome;
      const added = bounceFields({ type: bounceType, class: bounceClass, text, code, enhanced, mx, ip });
      return emailEvent(email, { ...common, type: 'email.bounced', added });
    }
    case 'deferred':
    case 'failed':
      return emailEvent(email, { ...common, type: 'email.failed', added: failureFacts(outcome) });
  }
}

function failureFacts(outcome: Extract<RecipientOutcome, { status: 'deferred' | 'failed' }>) {
  const { code, enhanced, text } = outcome.attempt.reply;
  const { mx, ip } = outcome.attempt.remote;
  const common = { smtp_code: code, mx, ip, attempt: outcome.attemptNumber, failed: { reason: text } };
  if (outcome.status === 'failed')
    return {
      ...common,
      failure_type: 'final' as const,
      temporary: false,
      reason: `${outcome.reason}: ${text}`,
      enhanced_code: '5.4.7',
      next_attempt_at: null,
    };
  return {
    ...common,
    failure_type: 'temporary' as const,
    temporary: true,
    reason: text,
    enhanced_code: enhanced,
    next_attempt_at: outcome.nextAt.toISOString(),
  };
}
