import type { EmailStatus, RecipientType } from '#libs/contracts';
import type { WaitReason } from '#libs/mta';
import type { Queryable } from '#libs/persistence';
import type { SmtpView } from '../email.resource.js';
import type { EmailInfoRow } from '../message/email-events.js';
import type { RecipientRef } from '../message/recipient-token.js';
import { effectiveStatus } from './effective-status.js';

/** The columns of an SMTP reply, equal in `recipients` and `attempts`. */
export interface SmtpRow {
  smtp_code: number | null;
  smtp_enhanced: string | null;
  smtp_text: string | null;
  mx: string | null;
  ip: string | null;
  tls: string | null;
}

export interface RecipientRow extends SmtpRow {
  ordinal: number;
  address: string;
  type: RecipientType;
  /** The effective status. */
  status: EmailStatus;
  attempts: number;
  due_at: Date | null;
  expires_at: Date;
  claimed: boolean;
  is_bulk: boolean;
  /** The reason for the last delay. */
  wait_reason: WaitReason | null;
}

/** The recipients of an email in the order of submission. The caller has checked the account. */
export async function recipientsOf(db: Queryable, emailId: string): Promise<RecipientRow[]> {
  return (await recipientsOfAll(db, [emailId])).get(emailId) ?? [];
}

/** As `recipientsOf`, for several emails, by id. */
export async function recipientsOfAll(
  db: Queryable,
  emailIds: readonly string[],
): Promise<Map<string, RecipientRow[]>> {
  const { rows } = await db.query<RecipientRow & { email_id: string }>(
    `SELECT email_id, ordinal, address, type, status, attempts, due_at, expires_at, claimed_by IS NOT NULL AS claimed, is_bulk, wait_reason,
            smtp_code, smtp_enhanced, smtp_text, mx, ip, tls
       FROM recipients WHERE email_id = ANY ($1) ORDER BY email_id, ordinal`,
    [emailIds],
  );
  const byEmail = new Map<string, RecipientRow[]>(emailIds.map((id) => [id, []]));
  for (const { email_id, ...row } of rows) byEmail.get(email_id)?.push({ ...row, status: effectiveStatus(row) });
  return byEmail;
}

/** Null before the first attempt. */
export const smtpOf = (row: SmtpRow): SmtpView | null =>
  row.smtp_text === null
    ? null
    : { code: row.smtp_code, enhanced: row.smtp_enhanced, text: row.smtp_text, mx: row.mx, ip: row.ip, tls: row.tls };

/** An email with one of its recipients. */
export interface EmailOfRecipient extends EmailInfoRow {
  sender_address: string;
  sequence: number;
  address: string;
}

/** `lock` locks the row of the email. Returns null if retention has deleted it. */
export async function emailOfRecipient(
  db: Queryable,
  { emailId, ordinal }: RecipientRef,
  lock?: 'lock',
): Promise<EmailOfRecipient | null> {
  const { rows } = await db.query<EmailOfRecipient>(
    `SELECT e.id, e.account_id, e.domain_id, e.api_key_id, e.mode, e.sender, e.sender_address, e.header_to, e.subject, e.tags,
            e.message_id, e.created_at, e.sequence, r.address
       FROM emails e JOIN recipients r ON r.email_id = e.id AND r.ordinal = $2
      WHERE e.id = $1 ${lock ? 'FOR NO KEY UPDATE OF e' : ''}`,
    [emailId, ordinal],
  );
  return rows[0] ?? null;
}

/** The recipients of emails, and the reply in a row. */
export const recipientRows = { ofAll: recipientsOfAll, smtp: smtpOf };
