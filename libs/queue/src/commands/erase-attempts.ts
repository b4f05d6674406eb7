import { wholeAccount, type AddressErasure, type EmailStatus } from '#libs/contracts';
import { emailStatus, emailEvent, EmailErasure, lockEmail, searchKey, type LockedEmail } from '#libs/emails';
import { databaseClock } from '#libs/kernel';
import { normaliseAddress } from '#libs/mime';
import { outbox, type Queryable } from '#libs/persistence';

export interface ErasedEmail {
  bodies: number;
  captured: number;
  recipients: number;
  attempts: number;
}

const OPEN: ReadonlySet<EmailStatus> = new Set(['scheduled', 'queued', 'sending', 'deferred']);

/**
 * Erases a recipient from one message, in the caller's transaction. A delivery that has not started is canceled. Returns null
 * while a recipient of the message waits for delivery, which needs the content: the message must be tried again later.
 */
export async function eraseFromEmail(
  tx: Queryable,
  emailId: string,
  erasure: AddressErasure,
): Promise<ErasedEmail | null> {
  const email = await lockEmail(tx, wholeAccount(erasure.accountId), emailId);
  if (email === null) return { recipients: 0, attempts: 0, bodies: 0, captured: 0 };
  const isErased = ({ address }: { address: string }) => normaliseAddress(address) === erasure.address;
  const erased = email.recipients.filter(isErased);
  const canceled = await cancelWaiting(tx, email, erasure);
  const open = email.recipients.filter(({ status, ordinal }) => OPEN.has(status) && !canceled.includes(ordinal));
  if (open.length > 0) return null;
  const ordinals = erased.map(({ ordinal }) => ordinal);
  const attempts = await eraseReplies(tx, { emailId, ordinals }, erasure);
  await tx.query('DELETE FROM full_mailboxes WHERE account_id = $1 AND recipient_key = $2', [
    erasure.accountId,
    searchKey(erasure.accountId, erasure.address),
  ]);
  return { recipients: ordinals.length, attempts, ...(await new EmailErasure(tx, erasure).eraseFrom(emailId)) };
}

/** Returns the ordinals of the recipients that are canceled now. */
async function cancelWaiting(tx: Queryable, email: LockedEmail, erasure: AddressErasure): Promise<number[]> {
  const waiting = email.recipients.filter(
    ({ address, status, claimed }) =>
      normaliseAddress(address) === erasure.address && OPEN.has(status) && status !== 'sending' && !claimed,
  );
  if (waiting.length === 0) return [];
  const ordinals = waiting.map(({ ordinal }) => ordinal);
  await tx.query(
    `UPDATE recipients SET status = 'canceled', due_at = NULL, wait_reason = NULL, is_due = NULL
      WHERE email_id = $1 AND ordinal = ANY($2::smallint[])`,
    [email.info.id, ordinals],
  );
  const at = databaseClock.date();
  // Nothing that leaves the service from now on contains the address.
  const info = {
    ...email.info,
    ...erasure.rewriteJson({ to: email.info.to, subject: email.info.subject, tags: email.info.tags }),
  };
  const events = ordinals.map((_, i) =>
    emailEvent(info, {
      type: 'email.canceled',
      recipient: erasure.erasedAs,
      sequence: email.sequence + i + 1,
      at,
      added: { canceled_at: at.toISOString() },
    }),
  );
  const statuses = email.recipients.map(({ ordinal, status }) => (ordinals.includes(ordinal) ? 'canceled' : status));
  await tx.query(
    `UPDATE emails SET status = $2, last_event = 'canceled', sequence = $3, updated_at = $4 WHERE id = $1`,
    [email.info.id, emailStatus.aggregate(statuses), email.sequence + ordinals.length, at],
  );
  await outbox.append(tx, events);
  return ordinals;
}

/** Replies of receiving servers often repeat the address. Returns the number of attempts for these recipients. */
async function eraseReplies(
  tx: Queryable,
  { emailId, ordinals }: { emailId: string; ordinals: number[] },
  erasure: AddressErasure,
): Promise<number> {
  const { rows } = await tx.query<{ id: string; ordinal: number; smtp_text: string | null; earlier: unknown }>(
    'SELECT id, ordinal, smtp_text, earlier FROM attempts WHERE email_id = $1 ORDER BY id',
    [emailId],
  );
  const changed = rows
    .map((before) => ({ before, after: erasure.rewriteJson(before) }))
    .filter(({ before, after }) => JSON.stringify(after) !== JSON.stringify(before))
    .map(({ after }) => after);
  if (changed.length > 0)
    await tx.query(
      `UPDATE attempts a SET smtp_text = changed.smtp_text, earlier = changed.earlier
         FROM unnest($2::text[], $3::text[], $4::jsonb[]) AS changed (id, smtp_text, earlier)
        WHERE a.email_id = $1 AND a.id = changed.id`,
      [
        emailId,
        changed.map(({ id }) => id),
        changed.map(({ smtp_text: text }) => text),
        changed.map(({ earlier }) => (earlier === null ? null : JSON.stringify(earlier))),
      ],
    );
  return rows.filter(({ ordinal }) => ordinals.includes(ordinal)).length;
}
