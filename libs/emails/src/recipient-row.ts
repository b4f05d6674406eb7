import type { EmailStatus, RecipientType } from '#libs/contracts';
import type { WaitReason } from '#libs/mta';
import type { Queryable } from '#libs/persistence';
import { effectiveStatus } from './effective-status.js';

/** What a receiving server said, and which one it was. */
export interface SmtpView {
  code: number | null;
  enhanced: string | null;
  text: string;
  mx: string | null;
  ip: string | null;
  tls: string | null;
}

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
  /** The effective one. */
  status: EmailStatus;
  attempts: number;
  due_at: Date | null;
  expires_at: Date;
  claimed: boolean;
  /** What held it back when it was due last. */
  wait: WaitReason | null;
}

/** The recipients of a mail in the order of submission. The caller has made sure whose mail it is. */
export async function recipientsOf(db: Queryable, emailId: string): Promise<RecipientRow[]> {
  const { rows } = await db.query<RecipientRow>(
    `SELECT ordinal, address, type, status, attempts, due_at, expires_at, claimed_by IS NOT NULL AS claimed, wait,
            smtp_code, smtp_enhanced, smtp_text, mx, ip, tls
       FROM recipients WHERE email_id = $1 ORDER BY email_id, ordinal`,
    [emailId],
  );
  return rows.map((row) => ({ ...row, status: effectiveStatus(row) }));
}

/** Null before the first attempt. */
export const smtpOf = (row: SmtpRow): SmtpView | null =>
  row.smtp_text === null
    ? null
    : { code: row.smtp_code, enhanced: row.smtp_enhanced, text: row.smtp_text, mx: row.mx, ip: row.ip, tls: row.tls };
