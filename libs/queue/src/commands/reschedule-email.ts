import { Injectable } from '@nestjs/common';
import { Allowances } from '#libs/accounts';
import { LIMITS, Refusal, type EmailStatus, type Visibility } from '#libs/contracts';
import { emailEvent, lockEmail, updateScheduledAt, type LockedEmail, type RecipientRow } from '#libs/emails';
import { LocalNotifications, databaseClock } from '#libs/kernel';
import { outbox, Database, type Queryable, databaseErrors } from '#libs/persistence';

/** Cancels and reschedules emails. A change applies to all recipients, and only while no delivery has started. */
@Injectable()
export class RescheduleEmail {
  constructor(
    private readonly database: Database,
    private readonly allowances: Allowances,
    private readonly notifications: LocalNotifications,
  ) {}

  /**
   * Cancels a scheduled or queued email for all recipients. A scheduled email returns its units of this month.
   * @throws Refusal not_found; conflict (`not_cancelable`) if delivery has started or ended.
   */
  cancel(visibility: Visibility, id: string): Promise<void> {
    return this.inLockedTransaction(visibility, id, async (tx, email) => {
      const scheduled = email.status === 'scheduled';
      requireStatus(email, ['scheduled', 'queued'], 'scheduled and queued mail can be canceled');
      const at = databaseClock.date();
      const changed = await this.updateWaiting(tx, email, {
        text: `UPDATE recipients SET status = 'canceled', due_at = NULL, wait_reason = NULL, is_due = NULL
                WHERE email_id = $1 AND ${IS_WAITING}`,
        values: [id],
        event: { type: 'email.canceled', added: { canceled_at: at.toISOString() } },
        at,
      });
      await tx.query(
        `UPDATE emails SET status = 'canceled', last_event = 'canceled', sequence = $2, updated_at = $3 WHERE id = $1`,
        [id, email.sequence + changed, at],
      );
      if (scheduled && email.units > 0)
        await this.allowances.refund(tx, {
          accountId: visibility.accountId,
          units: email.units,
          month: email.info.createdAt,
        });
    });
  }

  /**
   * Gives a scheduled email another time; its lifetime begins there.
   * @throws Refusal not_found; conflict (`not_cancelable`) if the email is no longer scheduled; validation_error for a time
   * too long after its acceptance.
   */
  async reschedule(visibility: Visibility, id: string, scheduledAt: Date): Promise<void> {
    await this.inLockedTransaction(visibility, id, async (tx, email) => {
      requireStatus(email, ['scheduled'], 'scheduled mail can be given another time');
      requireTimely(email, scheduledAt);
      const changed = await this.updateWaiting(tx, email, {
        // The email may have been due and delayed by its queue; the reason for the delay no longer applies.
        text: `UPDATE recipients SET status = 'scheduled', due_at = $2::timestamptz, wait_reason = NULL, is_due = NULL,
                      expires_at = expires_at + ($2::timestamptz - $3::timestamptz)
                WHERE email_id = $1 AND ${IS_WAITING}`,
        values: [id, scheduledAt, email.scheduledAt],
        event: { type: 'email.scheduled', added: { scheduled_at: scheduledAt.toISOString() } },
        at: databaseClock.date(),
      });
      await updateScheduledAt(tx, id, scheduledAt);
      await tx.query(`UPDATE emails SET last_event = 'scheduled', sequence = $2, updated_at = now() WHERE id = $1`, [
        id,
        email.sequence + changed,
      ]);
    });
    this.notifications.notify('due-mail');
  }

  /** Updates the waiting recipients and appends an event for each; returns their number. */
  private async updateWaiting<T extends 'email.canceled' | 'email.scheduled'>(
    tx: Queryable,
    { info, sequence, recipients }: LockedEmail,
    change: { text: string; values: unknown[]; event: { type: T; added: ExtraFieldsOf<T> }; at: Date },
  ): Promise<number> {
    const waiting = recipients.filter(isWaiting);
    await tx.query(change.text, change.values);
    const events = waiting.map(({ address }, i) =>
      emailEvent(info, { ...change.event, recipient: address, sequence: sequence + i + 1, at: change.at }),
    );
    await outbox.append(tx, events);
    return waiting.length;
  }

  private async inLockedTransaction(
    visibility: Visibility,
    id: string,
    work: (tx: Queryable, email: LockedEmail) => Promise<void>,
  ): Promise<void> {
    const attempt = () =>
      this.database.transaction(async (tx) => {
        const email = await lockEmail(tx, visibility, id);
        if (email === null) throw new Refusal('not_found');
        await work(tx, email);
      });
    await attempt().catch((error: unknown) => {
      if (!databaseErrors.isRetryable(error)) throw error;
      return attempt();
    });
    this.notifications.notify('outbox');
  }
}

/** Partitions of content are dropped whole, so an email that never leaves would keep the content of all accounts. */
function requireTimely({ info }: LockedEmail, scheduledAt: Date): void {
  const latest = new Date(new Date(info.createdAt).getTime() + LIMITS.rescheduleMs);
  if (scheduledAt <= latest) return;
  const message = `must be at most 30 days after the email was accepted: at the latest ${latest.toISOString()}`;
  throw new Refusal('validation_error', [{ field: 'scheduled_at', code: 'too_late', message }]);
}

type ExtraFieldsOf<T extends 'email.canceled' | 'email.scheduled'> = Parameters<typeof emailEvent<T>>[1]['added'];

/** The same as `isWaiting`: a released recipient without an attempt may still be stored as `sending`. */
const IS_WAITING = `status IN ('scheduled', 'queued', 'sending')`;
const isWaiting = ({ status }: RecipientRow): boolean => status === 'scheduled' || status === 'queued';

/**
 * Requires that no recipient has an attempt or a final status, except suppressed recipients: a recipient with an
 * attempt may have received the message.
 */
function requireStatus(email: LockedEmail, allowed: readonly EmailStatus[], only: string): void {
  const rest = email.recipients.filter((recipient) => recipient.status !== 'suppressed');
  const untouched = rest.every((row) => row.attempts === 0 && isWaiting(row));
  if (allowed.includes(email.status) && untouched) return;
  const standing = allowed.includes(email.status) ? `${email.status} and begun to be sent` : email.status;
  throw new Refusal(
    'conflict',
    [{ field: 'status', code: 'not_cancelable', message: `is ${standing}; only ${only}` }],
    `The email is ${standing}. Only ${only}.`,
  );
}
