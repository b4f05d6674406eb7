import type { EmailStatus } from '#libs/contracts';
import { effectiveStatus, type EmailInfo, emailInfoOf, type EmailInfoRow, type TransactionRef } from '#libs/emails';
import type { Queryable } from '#libs/persistence';

/** A recipient that a report may be about. */
export interface ReportedRecipient {
  ordinal: number;
  address: string;
  /** The effective status. */
  status: EmailStatus;
  /** End of the last attempt. */
  sentAt: Date | null;
  unsubscribed: boolean;
}

export interface ReportedEmail {
  info: EmailInfo;
  /** All recipients that may have been in the transaction, in order; never fewer than there were. */
  recipients: ReportedRecipient[];
}

interface RecipientRow {
  ordinal: number;
  address: string;
  status: EmailStatus;
  attempts: number;
  claimed: boolean;
  sent_at: Date | null;
  unsubscribed: boolean;
}

const LOCK_EMAIL = `
  SELECT id, account_id, domain_id, api_key_id, mode, sender, header_to, subject, tags, message_id, created_at
    FROM emails WHERE id = $1 FOR NO KEY UPDATE`;

/**
 * A transaction has recipients of one domain, beginning with the one in the token. Recipients that were no longer due
 * at that attempt are included, so that a transaction with several recipients is never taken for one with a single
 * recipient.
 */
const SELECT_RECIPIENTS = `
  SELECT r.ordinal, r.address, r.status, r.attempts, r.claimed_by IS NOT NULL AS claimed, a.sent_at,
         r.unsubscribed_at IS NOT NULL AS unsubscribed
    FROM recipients r
    LEFT JOIN (SELECT ordinal, max(ended_at) AS sent_at FROM attempts WHERE email_id = $1 GROUP BY ordinal) a
      ON a.ordinal = r.ordinal
   WHERE r.email_id = $1
     AND (r.ordinal = $2 OR NOT $3 AND r.ordinal > $2
          AND r.domain = (SELECT first.domain FROM recipients first WHERE first.email_id = $1 AND first.ordinal = $2))
   ORDER BY r.ordinal`;

/** The recipient domain of a transaction. */
export interface ReportedTransaction extends TransactionRef {
  domain: string;
}

const SELECT_TRANSACTION = `
  SELECT first.domain,
         e.unsubscribe IS NOT NULL OR NOT EXISTS (
           SELECT FROM recipients r WHERE r.email_id = e.id AND r.ordinal > $2 AND r.domain = first.domain) AS alone
    FROM emails e JOIN recipients first ON first.email_id = e.id AND first.ordinal = $2
   WHERE e.id = $1`;

/**
 * The transaction that a token names. Tokens of transactions with one possible recipient count as tokens of one recipient,
 * whatever they say. Returns null if retention has deleted the email.
 */
export async function reportedTransaction(db: Queryable, ref: TransactionRef): Promise<ReportedTransaction | null> {
  const { rows } = await db.query<{ domain: string; alone: boolean }>(SELECT_TRANSACTION, [ref.emailId, ref.ordinal]);
  if (rows.length === 0) return null;
  const [{ domain, alone }] = rows;
  return { ...ref, domain, alone: ref.alone || alone };
}

/**
 * Locks the email against a concurrent settle and reads the recipients that the report may be about. Returns null if
 * retention has deleted the email.
 */
export async function lockReportedEmail(
  tx: Queryable,
  { emailId, ordinal, alone }: TransactionRef,
): Promise<ReportedEmail | null> {
  const { rows } = await tx.query<EmailInfoRow>(LOCK_EMAIL, [emailId]);
  if (rows.length === 0) return null;
  const [email] = rows;
  const recipients = await tx.query<RecipientRow>(SELECT_RECIPIENTS, [emailId, ordinal, alone]);
  return { info: emailInfoOf(email), recipients: recipients.rows.map(toRecipient) };
}

const toRecipient = (row: RecipientRow): ReportedRecipient => ({
  ordinal: row.ordinal,
  address: row.address,
  status: effectiveStatus(row),
  sentAt: row.sent_at,
  unsubscribed: row.unsubscribed,
});
