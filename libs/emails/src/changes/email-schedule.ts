import { Injectable } from '@nestjs/common';
import { Allowances } from '#libs/accounts';
import { Refusal, type EmailStatus } from '#libs/contracts';
import { Wakeups } from '#libs/kernel';
import { appendEvents, Database, isRetryable, type Queryable } from '#libs/persistence';
import { emailEvent } from '../email-events.js';
import type { RecipientRow } from '../recipient-row.js';
import { lockMail, type LockedMail } from './lock-mail.js';

/** What becomes of a mail that is not sent yet. It is changed as a whole, and only while nobody has begun to send it. */
@Injectable()
export class EmailSchedule {
  constructor(
    private readonly database: Database,
    private readonly allowances: Allowances,
    private readonly wakeups: Wakeups,
  ) {}

  /**
   * A scheduled or queued mail is canceled for all recipients; a scheduled one gives its units of this month back.
   * @throws Refusal not_found; conflict (`not_cancelable`) when sending has begun or is over.
   */
  cancel(accountId: string, id: string): Promise<void> {
    return this.change(accountId, id, async (tx, mail) => {
      const scheduled = mail.status === 'scheduled';
      requireStatus(mail, ['scheduled', 'queued'], 'scheduled and queued mail can be canceled');
      const at = new Date();
      const left = await this.write(tx, mail, {
        columns: `status = 'canceled', due_at = NULL, wait = NULL, ripe = NULL`,
        values: [],
        event: { type: 'email.canceled', added: { canceled_at: at.toISOString() } },
        at,
      });
      await tx.query(
        `UPDATE emails SET status = 'canceled', last_event = 'canceled', sequence = $2, updated_at = $3 WHERE id = $1`,
        [id, mail.sequence + left, at],
      );
      if (scheduled && mail.units > 0)
        await this.allowances.giveBack(tx, { accountId, units: mail.units, month: mail.facts.createdAt });
    });
  }

  /**
   * A scheduled mail gets another time; its lifetime is counted from there.
   * @throws Refusal not_found; conflict (`not_cancelable`) when its time has come.
   */
  async reschedule(accountId: string, id: string, scheduledAt: Date): Promise<void> {
    await this.change(accountId, id, async (tx, mail) => {
      requireStatus(mail, ['scheduled'], 'scheduled mail can be given another time');
      const left = await this.write(tx, mail, {
        // As it was before its time came: it may have been due, and held back by its queue.
        columns: `status = 'scheduled', due_at = $2::timestamptz, wait = NULL, ripe = NULL,
          expires_at = expires_at + ($2::timestamptz - $3::timestamptz)`,
        values: [scheduledAt, mail.scheduledAt],
        event: { type: 'email.scheduled', added: { scheduled_at: scheduledAt.toISOString() } },
        at: new Date(),
      });
      await tx.query(
        `UPDATE emails SET scheduled_at = $2, last_event = 'scheduled', sequence = $3, updated_at = now() WHERE id = $1`,
        [id, scheduledAt, mail.sequence + left],
      );
    });
    this.wakeups.ring('due-mail');
  }

  /** Changes the recipients that wait, with an event for each; returns how many they were. */
  private async write<T extends 'email.canceled' | 'email.scheduled'>(
    tx: Queryable,
    { facts, sequence, recipients }: LockedMail,
    change: { columns: string; values: unknown[]; event: { type: T; added: AddedTo<T> }; at: Date },
  ): Promise<number> {
    const waiting = recipients.filter(isWaiting);
    await tx.query(
      `UPDATE recipients SET ${change.columns} WHERE email_id = $1 AND status IN ('scheduled', 'queued', 'sending')`,
      [facts.id, ...change.values],
    );
    const events = waiting.map(({ address }, i) =>
      emailEvent(facts, { ...change.event, recipient: address, sequence: sequence + i + 1, at: change.at }),
    );
    await appendEvents(tx, events);
    return waiting.length;
  }

  private async change(
    accountId: string,
    id: string,
    work: (tx: Queryable, mail: LockedMail) => Promise<void>,
  ): Promise<void> {
    const attempt = () =>
      this.database.transaction(async (tx) => {
        const mail = await lockMail(tx, accountId, id);
        if (mail === null) throw new Refusal('not_found');
        await work(tx, mail);
      });
    await attempt().catch((error: unknown) => {
      if (!isRetryable(error)) throw error;
      return attempt();
    });
    this.wakeups.ring('outbox');
  }
}

type AddedTo<T extends 'email.canceled' | 'email.scheduled'> = Parameters<typeof emailEvent<T>>[1]['added'];

const isWaiting = ({ status }: RecipientRow): boolean => status === 'scheduled' || status === 'queued';

/** Only those who get nothing anyway may stand otherwise: whoever has an attempt behind him has perhaps got the mail. */
function requireStatus(mail: LockedMail, allowed: readonly EmailStatus[], only: string): void {
  const rest = mail.recipients.filter((recipient) => recipient.status !== 'suppressed');
  const untouched = rest.every((row) => row.attempts === 0 && isWaiting(row));
  if (allowed.includes(mail.status) && untouched) return;
  const standing = allowed.includes(mail.status) ? `${mail.status} and begun to be sent` : mail.status;
  throw new Refusal(
    'conflict',
    [{ field: 'status', code: 'not_cancelable', message: `is ${standing}; only ${only}` }],
    `The e-mail is ${standing}. Only ${only}.`,
  );
}
