import type { Queryable } from '#libs/persistence';
import { visits, type VisitsRow, type VisitsView } from '../email.resource.js';
import type { EmailInfoRow } from '../message/email-events.js';
import type { RecipientRef } from '../message/recipient-token.js';

/** An email with visits, locked; the fields after the addresses are what the visits make of it. */
export interface VisitedEmail {
  row: EmailInfoRow;
  /** Addresses of the visited recipients, by ordinal. */
  addresses: Map<number, string>;
  sequence: number;
  /** Null: unchanged. */
  lastEvent: 'opened' | 'clicked' | null;
  lastAt: Date;
}

/** Locks the emails of these recipients in the order of their ids. Those that retention has deleted are missing. */
export async function lockVisitedEmails(
  tx: Queryable,
  visited: readonly RecipientRef[],
): Promise<Map<string, VisitedEmail>> {
  const { rows } = await tx.query<EmailInfoRow & { sequence: number; ordinal: number; address: string }>({
    name: 'tracking-lock',
    text: `
      SELECT e.id, e.account_id, e.domain_id, e.api_key_id, e.mode, e.sender, e.header_to, e.subject, e.tags, e.message_id, e.created_at,
             e.sequence, r.ordinal, r.address
        FROM emails e JOIN recipients r ON r.email_id = e.id
       WHERE e.id = ANY ($1::text[])
         AND (r.email_id, r.ordinal) IN (SELECT * FROM unnest($1::text[], $2::smallint[]))
       ORDER BY e.id FOR NO KEY UPDATE OF e`,
    values: [visited.map(({ emailId }) => emailId), visited.map(({ ordinal }) => ordinal)],
  });
  const emails = new Map<string, VisitedEmail>();
  for (const { sequence, ordinal, address, ...row } of rows) {
    const known = emails.get(row.id);
    if (known) known.addresses.set(ordinal, address);
    else
      emails.set(row.id, {
        row,
        addresses: new Map([[ordinal, address]]),
        sequence,
        lastEvent: null,
        lastAt: row.created_at,
      });
  }
  return emails;
}

/** By email and ordinal of the recipient. The caller has checked that the emails are visible. */
export async function visitsOf(
  db: Queryable,
  emailIds: readonly string[],
): Promise<Map<string, Map<number, VisitsView>>> {
  const { rows } = await db.query<VisitsRow>(
    `SELECT ${visits.columns} FROM recipient_visits WHERE email_id = ANY ($1)`,
    [emailIds],
  );
  const byEmail = new Map<string, Map<number, VisitsView>>(emailIds.map((id) => [id, new Map()]));
  for (const row of rows) byEmail.get(row.email_id)?.set(row.ordinal, visits.toView(row, {}));
  return byEmail;
}
