import { isId, type EmailStatus } from '#libs/contracts';
import type { Queryable } from '#libs/persistence';
import { EFFECTIVE_STATUS } from '../effective-status.js';
import type { MailFacts } from '../email-events.js';
import { mailFactsOf, type MailFactsRow } from '../mail-facts-row.js';
import { recipientsOf, type RecipientRow } from '../recipient-row.js';

/** A mail and its recipients under their row locks. */
export interface LockedMail {
  facts: MailFacts;
  /** The effective one. */
  status: EmailStatus;
  sequence: number;
  units: number;
  scheduledAt: Date | null;
  recipients: RecipientRow[];
}

interface MailRow extends MailFactsRow {
  sequence: number;
  units: number;
  scheduled_at: Date | null;
}

/**
 * Locks in the order of the ledger: the mail, then its recipients. A claim that is being written is waited for and then
 * seen; one that comes later skips rows that are locked. So a change and a claim of the same mail never both win.
 * Null where the account has no such mail.
 */
export async function lockMail(tx: Queryable, accountId: string, id: string): Promise<LockedMail | null> {
  if (!isId('em', id)) return null;
  const { rows } = await tx.query<MailRow>(
    `SELECT id, account_id, domain_id, mode, sender, header_to, subject, tags, message_id, created_at, sequence, units, scheduled_at
       FROM emails WHERE id = $1 AND account_id = $2 FOR NO KEY UPDATE`,
    [id, accountId],
  );
  if (rows.length === 0) return null;
  await tx.query('SELECT FROM recipients WHERE email_id = $1 ORDER BY email_id, ordinal FOR UPDATE', [id]);
  // Statements of their own: their snapshots are younger than the locks.
  const state = await tx.query<{ status: EmailStatus }>(
    `SELECT ${EFFECTIVE_STATUS} AS status FROM emails e WHERE e.id = $1`,
    [id],
  );
  const recipients = await recipientsOf(tx, id);
  const [row] = rows;
  return {
    facts: mailFactsOf(row),
    status: state.rows[0].status,
    sequence: row.sequence,
    units: row.units,
    scheduledAt: row.scheduled_at,
    recipients,
  };
}
