import type { EmailStatus } from '#libs/contracts';
import type { Queryable } from '#libs/persistence';
import { effectiveStatus } from '../effective-status.js';
import type { MailFacts } from '../email-events.js';
import { mailFactsOf, type MailFactsRow } from '../mail-facts-row.js';
import type { TokenName } from '../mail-token.js';

export interface ReportedRecipient {
  ordinal: number;
  address: string;
  /** The effective one. */
  status: EmailStatus;
  /** End of his last attempt. */
  sentAt: Date | null;
  unsubscribed: boolean;
}

export interface ReportedMail {
  facts: MailFacts;
  /** Everybody who may have been in the transaction, in order; never fewer than were. */
  recipients: ReportedRecipient[];
}

interface MailRow extends MailFactsRow {
  unsubscribe: object | null;
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

const MAIL = `
  SELECT id, account_id, domain_id, mode, sender, header_to, subject, tags, message_id, created_at, unsubscribe
    FROM emails WHERE id = $1 FOR NO KEY UPDATE`;

/**
 * A transaction has recipients of one domain, from its first on; which of them were still due at that attempt is not
 * looked for, so that nobody is taken for alone who was not.
 */
const RECIPIENTS = `
  SELECT r.ordinal, r.address, r.status, r.attempts, r.claimed_by IS NOT NULL AS claimed, a.sent_at,
         r.unsubscribed_at IS NOT NULL AS unsubscribed
    FROM recipients r
    LEFT JOIN (SELECT ordinal, max(ended_at) AS sent_at FROM attempts WHERE email_id = $1 GROUP BY ordinal) a
      ON a.ordinal = r.ordinal
   WHERE r.email_id = $1
     AND (r.ordinal = $2 OR NOT $3 AND r.ordinal > $2
          AND r.domain = (SELECT first.domain FROM recipients first WHERE first.email_id = $1 AND first.ordinal = $2))
   ORDER BY r.ordinal`;

/**
 * Locks the mail, so that no settle comes in between, and reads whom the report may mean. Null for a mail that retention
 * has removed.
 */
export async function lockReported(tx: Queryable, { emailId, ordinal }: TokenName): Promise<ReportedMail | null> {
  const { rows } = await tx.query<MailRow>(MAIL, [emailId]);
  if (rows.length === 0) return null;
  const [mail] = rows;
  // Recipients with links of their own have transactions of their own.
  const alone = mail.unsubscribe !== null;
  const recipients = await tx.query<RecipientRow>(RECIPIENTS, [emailId, ordinal, alone]);
  return { facts: mailFactsOf(mail), recipients: recipients.rows.map(toRecipient) };
}

const toRecipient = (row: RecipientRow): ReportedRecipient => ({
  ordinal: row.ordinal,
  address: row.address,
  status: effectiveStatus(row),
  sentAt: row.sent_at,
  unsubscribed: row.unsubscribed,
});

/** Nothing final is written down of him yet. */
export const isUnderWay = ({ status }: ReportedRecipient): boolean =>
  status === 'scheduled' || status === 'queued' || status === 'sending' || status === 'deferred';
