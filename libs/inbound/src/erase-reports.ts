import type { AddressErasure } from '#libs/contracts';
import type { Queryable } from '#libs/persistence';

interface Report {
  id: string;
  mail_from: string;
  rcpt_to: string[];
  subject: string | null;
  note: string | null;
  reported: string[];
}

/**
 * Erases an address from the stored reports about these messages, and deletes the text of the reports: it quotes the message.
 * Returns the number of reports.
 */
export async function eraseReports(
  db: Queryable,
  emailIds: readonly string[],
  erasure: AddressErasure,
): Promise<number> {
  const { rows } = await db.query<Report>(
    'SELECT id, mail_from, rcpt_to, subject, note, reported FROM inbound_messages WHERE email_id = ANY($1::text[])',
    [emailIds],
  );
  for (const { id, ...columns } of rows) {
    const erased = erasure.rewriteJson(columns);
    await db.query(
      `UPDATE inbound_messages SET mail_from = $2, rcpt_to = $3, subject = $4, note = $5, reported = $6, raw = ''
        WHERE id = $1`,
      [id, erased.mail_from, erased.rcpt_to, erased.subject, erased.note, erased.reported],
    );
  }
  return rows.length;
}
