import type { EmailStatus, RoutedEvent, sentences } from '#libs/contracts';
import { emailStatus, type DeliveryJob, emailEvent, type EmailInfo } from '#libs/emails';
import { outbox, type Queryable } from '#libs/persistence';
import type { SuppressionOrigin } from '#libs/suppressions';
import { databaseClock } from '#libs/kernel';

/** Why a claimed recipient gets no further attempt. */
export type UnsentOutcome =
  | { status: 'suppressed'; reason: SuppressionOrigin }
  | { status: 'failed'; reason: keyof typeof sentences.FAILURES };

export interface UnsentRecipient {
  recipient: DeliveryJob['recipients'][number];
  end: UnsentOutcome;
}

const FAILURES = {
  domain_removed: { enhanced: null, text: 'the sending domain was removed from the account' },
  dropped: {
    enhanced: null,
    text: 'it may have been delivered before the service was restored from a backup, and the operator dropped it',
  },
  // RFC 3463 §3.5: delivery time expired.
  expired: { enhanced: '5.4.7', text: 'the time in which this mail was to be delivered is over' },
} as const;

/**
 * Ends recipients of one message without an attempt, each with its event, in the caller's transaction. Recipients whose
 * claim was lost are left alone.
 */
export async function failUnsent(
  tx: Queryable,
  workerId: string,
  { email, ends }: { email: EmailInfo; ends: UnsentRecipient[] },
): Promise<void> {
  const { rows } = await tx.query<{ sequence: number }>('SELECT sequence FROM emails WHERE id = $1 FOR NO KEY UPDATE', [
    email.id,
  ]);
  const values = ends.map(({ recipient, end }) => ({ ordinal: recipient.ordinal, status: end.status }));
  const { rows: changed } = await tx.query<{ ordinal: number }>(
    `UPDATE recipients r SET status = v.status, due_at = NULL, claimed_by = NULL
     FROM json_to_recordset($2::json) AS v(ordinal smallint, status text)
     WHERE r.email_id = $1 AND r.ordinal = v.ordinal AND r.claimed_by = $3 RETURNING r.ordinal`,
    [email.id, JSON.stringify(values), workerId],
  );
  const ended = ends.filter(({ recipient }) => changed.some((row) => row.ordinal === recipient.ordinal));
  if (ended.length === 0) return;
  let { sequence } = rows[0];
  const events = ended.map((of) => eventOf(email, of, ++sequence));
  const statuses = await tx.query<{ status: EmailStatus }>('SELECT status FROM recipients WHERE email_id = $1', [
    email.id,
  ]);
  await tx.query('UPDATE emails SET sequence = $2, status = $3, last_event = $4, updated_at = now() WHERE id = $1', [
    email.id,
    sequence,
    emailStatus.aggregate(statuses.rows.map((row) => row.status)),
    ended[ended.length - 1].end.status,
  ]);
  await outbox.append(tx, events);
}

function eventOf(email: EmailInfo, { recipient, end }: UnsentRecipient, sequence: number): RoutedEvent {
  const common = { recipient: recipient.address, sequence, at: databaseClock.date() };
  if (end.status === 'suppressed') {
    const suppressed = { type: end.reason, message: 'The address is on the suppression list.' };
    return emailEvent(email, { ...common, type: 'email.suppressed', added: { reason: end.reason, suppressed } });
  }
  const { enhanced, text } = FAILURES[end.reason];
  return emailEvent(email, {
    ...common,
    type: 'email.failed',
    added: {
      failure_type: 'final',
      temporary: false,
      reason: `${end.reason}: ${text}`,
      smtp_code: null,
      enhanced_code: enhanced,
      mx: null,
      ip: null,
      attempt: recipient.attempts,
      next_attempt_at: null,
      failed: { reason: text },
    },
  });
}
