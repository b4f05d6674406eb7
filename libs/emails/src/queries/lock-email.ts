import { isId, type EmailStatus, type Visibility } from '#libs/contracts';
import type { Queryable } from '#libs/persistence';
import { emailInfoOf, type EmailInfo, type EmailInfoRow } from '../message/email-events.js';
import { effectiveEmailStatus } from './effective-status.js';
import { recipientsOf, type RecipientRow } from './recipient-row.js';
import { visibilityValues, visibleEmails } from './visible-emails.js';

/** An email and its recipients under row locks. */
export interface LockedEmail {
  info: EmailInfo;
  /** The effective status. */
  status: EmailStatus;
  sequence: number;
  units: number;
  scheduledAt: Date | null;
  recipients: RecipientRow[];
}

interface EmailRow extends EmailInfoRow {
  sequence: number;
  units: number;
  scheduled_at: Date | null;
}

/**
 * Locks the email, then its recipients: the same order as in a settle. A claim in progress is waited for and then
 * visible; a later claim skips locked rows. So a change and a claim of the same email never both succeed. Returns null
 * if the key sees no such email.
 */
export async function lockEmail(tx: Queryable, visibility: Visibility, id: string): Promise<LockedEmail | null> {
  if (!isId('em', id)) return null;
  const { rows } = await tx.query<EmailRow>(
    `SELECT id, account_id, domain_id, api_key_id, mode, sender, header_to, subject, tags, message_id, created_at, sequence, units, scheduled_at
       FROM emails e WHERE e.id = $1 AND ${visibleEmails(2)} FOR NO KEY UPDATE`,
    [id, ...visibilityValues(visibility)],
  );
  if (rows.length === 0) return null;
  await tx.query('SELECT FROM recipients WHERE email_id = $1 ORDER BY email_id, ordinal FOR UPDATE', [id]);
  // Separate statements, because their snapshots are taken after the locks.
  const status = await effectiveEmailStatus(tx, id);
  const recipients = await recipientsOf(tx, id);
  if (status === null) return null;
  const [row] = rows;
  return {
    info: emailInfoOf(row),
    status,
    sequence: row.sequence,
    units: row.units,
    scheduledAt: row.scheduled_at,
    recipients,
  };
}
