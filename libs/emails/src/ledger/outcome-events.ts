import type { RoutedEvent } from '#libs/contracts';
import { isoTime } from '#libs/kernel';
import { bounceFacts, emailEvent } from '../email-events.js';
import type { DeliveryJob } from './delivery-job.js';
import type { Verdict } from './verdict.js';

/** `email.sent` with the first attempt, then what came of it; a temporary failure is told once (D-35). */
export function eventsOf({ mail }: DeliveryJob, verdict: Verdict, nextSequence: () => number): RoutedEvent[] {
  const { outcome, recipient, attempts } = verdict;
  const recipientOf = { recipient: recipient.address };
  const events: RoutedEvent[] = [];
  // Scheduled mail is accepted at once but enters the queue only when its time has come.
  if (attempts === 1 && mail.releasedAt > mail.createdAt)
    events.push(
      emailEvent(mail, {
        ...recipientOf,
        type: 'email.queued',
        at: mail.releasedAt,
        sequence: nextSequence(),
        added: {},
      }),
    );
  if (attempts === 1)
    events.push(
      emailEvent(mail, {
        ...recipientOf,
        type: 'email.sent',
        at: outcome.startedAt,
        sequence: nextSequence(),
        added: { attempt: 1 },
      }),
    );
  // The attempts between the first failure and the last are in `attempts` only.
  if (verdict.status !== 'deferred' || attempts === 1) events.push(resultEvent(mail, verdict, nextSequence()));
  return events;
}

function resultEvent(mail: DeliveryJob['mail'], verdict: Verdict, sequence: number): RoutedEvent {
  const { code, enhanced, text } = verdict.outcome.reply;
  const { mx, ip } = verdict.outcome.remote;
  const common = { recipient: verdict.recipient.address, at: verdict.outcome.endedAt, sequence };
  switch (verdict.status) {
    case 'delivered': {
      const added = {
        queued_at: isoTime(mail.releasedAt),
        delivered_at: isoTime(verdict.outcome.endedAt),
        smtp_response: [code, enhanced, text].filter((part) => part !== null && part !== '').join(' '),
        mx,
        ip,
      };
      return emailEvent(mail, { ...common, type: 'email.delivered', added });
    }
    case 'bounced': {
      const { bounceType, bounceClass } = verdict;
      const added = bounceFacts({ type: bounceType, class: bounceClass, text, code, enhanced, mx, ip });
      return emailEvent(mail, { ...common, type: 'email.bounced', added });
    }
    case 'deferred':
    case 'failed':
      return emailEvent(mail, { ...common, type: 'email.failed', added: failureFacts(verdict) });
  }
}

function failureFacts(verdict: Extract<Verdict, { status: 'deferred' | 'failed' }>) {
  const { code, enhanced, text } = verdict.outcome.reply;
  const { mx, ip } = verdict.outcome.remote;
  const common = { smtp_code: code, mx, ip, attempt: verdict.attempts, failed: { reason: text } };
  if (verdict.status === 'failed')
    return {
      ...common,
      failure_type: 'final' as const,
      temporary: false,
      reason: `${verdict.reason}: ${text}`,
      enhanced_code: '5.4.7',
      next_attempt_at: null,
    };
  return {
    ...common,
    failure_type: 'temporary' as const,
    temporary: true,
    reason: text,
    enhanced_code: enhanced,
    next_attempt_at: verdict.nextAt.toISOString(),
  };
}
