import type { Queryable } from '#libs/persistence';
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
      SELECT e.id, e.account_id, e.domain_id, e.mode, e.sender, e.header_to, e.subject, e.tags, e.message_id, e.created_at,
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

/** The opens and clicks of a recipient. Those of bots are counted in `opens` and `clicks` too; the times are those of people. */
export interface VisitsView {
  opens: number;
  bot_opens: number;
  first_opened_at: string | null;
  last_opened_at: string | null;
  clicks: number;
  bot_clicks: number;
  first_clicked_at: string | null;
  last_clicked_at: string | null;
}

type VisitsRow = {
  [Field in keyof VisitsView]: VisitsView[Field] extends number ? number : Date | null;
};

/** By email and ordinal of the recipient. The caller has checked that the emails are visible. */
export async function visitsOf(
  db: Queryable,
  emailIds: readonly string[],
): Promise<Map<string, Map<number, VisitsView>>> {
  const { rows } = await db.query<VisitsRow & { email_id: string; ordinal: number }>(
    `SELECT email_id, ordinal, opens, bot_opens, first_opened_at, last_opened_at,
            clicks, bot_clicks, first_clicked_at, last_clicked_at
       FROM recipient_visits WHERE email_id = ANY ($1)`,
    [emailIds],
  );
  const byEmail = new Map<string, Map<number, VisitsView>>(emailIds.map((id) => [id, new Map()]));
  for (const { email_id, ordinal, ...row } of rows) byEmail.get(email_id)?.set(ordinal, toVisitsView(row));
  return byEmail;
}

const toVisitsView = (row: VisitsRow): VisitsView => ({
  ...row,
  first_opened_at: row.first_opened_at?.toISOString() ?? null,
  last_opened_at: row.last_opened_at?.toISOString() ?? null,
  first_clicked_at: row.first_clicked_at?.toISOString() ?? null,
  last_clicked_at: row.last_clicked_at?.toISOString() ?? null,
});
