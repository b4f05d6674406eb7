import type { EmailStatus, LastEvent, Mode } from '#libs/contracts';

/** An email as lists show it. */
export interface EmailSummary {
  id: string;
  object: 'email';
  mode: Mode;
  status: EmailStatus;
  last_event: LastEvent;
  from: string;
  to: string[];
  cc: string[];
  bcc: string[];
  reply_to: string[];
  subject: string;
  tags: Record<string, string>;
  created_at: string;
  updated_at: string;
  scheduled_at: string | null;
  delivered_at: string | null;
  message_id: string;
  domain_id: string;
}

/** The columns of a summary, without the status. */
export const SUMMARY_COLUMNS = `id, mode, last_event, sender, header_to, header_cc, header_bcc, reply_to, subject, tags, created_at,
  updated_at, scheduled_at, delivered_at, message_id, domain_id`;

export interface SummaryRow {
  id: string;
  mode: Mode;
  status: EmailStatus;
  last_event: LastEvent;
  sender: string;
  header_to: string[];
  header_cc: string[];
  header_bcc: string[];
  reply_to: string[];
  subject: string;
  tags: Record<string, string>;
  created_at: Date;
  updated_at: Date;
  scheduled_at: Date | null;
  delivered_at: Date | null;
  message_id: string;
  domain_id: string;
}

/** `row.status` is the effective status. */
export function toEmailSummary(row: SummaryRow): EmailSummary {
  return {
    id: row.id,
    object: 'email',
    mode: row.mode,
    status: row.status,
    last_event: row.last_event,
    from: row.sender,
    to: row.header_to,
    cc: row.header_cc,
    bcc: row.header_bcc,
    reply_to: row.reply_to,
    subject: row.subject,
    tags: row.tags,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    scheduled_at: row.scheduled_at?.toISOString() ?? null,
    delivered_at: row.delivered_at?.toISOString() ?? null,
    message_id: row.message_id,
    domain_id: row.domain_id,
  };
}
