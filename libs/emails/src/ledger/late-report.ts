import type { BounceType, EmailStatus, LastEvent, RoutedEvent } from '#libs/contracts';
import { appendEvents, type Queryable } from '#libs/persistence';
import { bounceFacts, emailEvent, type MailFacts } from '../email-events.js';
import { aggregateStatus } from '../email-status.js';

/** Who saw it: null where the report does not tell. */
interface Visitor {
  ip: string | null;
  userAgent: string | null;
  botKind: string | null;
}

/** Of a delivery status notification: the host is the one that reports. */
interface BounceReport {
  type: BounceType;
  class: string;
  text: string;
  code: number | null;
  enhanced: string | null;
  mx: string | null;
  ip: string | null;
}

/** What is heard of a recipient after his mail was delivered. */
export type LateReport =
  | ({ kind: 'bounced' } & BounceReport)
  | { kind: 'complained'; feedbackType: string; reporter: string | null; userAgent: string | null }
  | ({ kind: 'opened'; count: number } & Visitor)
  | ({ kind: 'clicked'; url: string } & Visitor);

export interface LateReportOf {
  mail: MailFacts;
  recipient: { ordinal: number; address: string };
  at: Date;
  report: LateReport;
}

/**
 * Writes down what came back after delivery, in the caller's transaction and under the mail's row lock. Of statuses only
 * `delivered` still changes, to `bounced` or `complained` (D-28); a report that comes too late or again changes nothing,
 * tells nothing and answers false. Opens and clicks are told each time and never touch the status.
 */
export async function recordLate(tx: Queryable, of: LateReportOf): Promise<boolean> {
  const { mail, at, report } = of;
  const { rows } = await tx.query<{ sequence: number; status: EmailStatus }>({
    name: 'late-lock',
    text: 'SELECT sequence, status FROM emails WHERE id = $1 FOR NO KEY UPDATE',
    values: [mail.id],
  });
  if (rows.length === 0) return false;
  const status = endsDelivery(report) ? await moved(tx, of, report) : rows[0].status;
  if (status === null) return false;
  const sequence = rows[0].sequence + 1;
  await tx.query({
    name: 'late-mail',
    text: `UPDATE emails SET status = $2, last_event = $3, sequence = $4, updated_at = greatest(updated_at, $5) WHERE id = $1`,
    values: [mail.id, status, report.kind satisfies LastEvent, sequence, at],
  });
  await appendEvents(tx, [eventOf(of, sequence)]);
  return true;
}

type Ending = Extract<LateReport, { kind: 'bounced' | 'complained' }>;

function endsDelivery(report: LateReport): report is Ending {
  return report.kind === 'bounced' || report.kind === 'complained';
}

/** The mail's status once this recipient's has changed, or null when it may not change any more. */
async function moved(tx: Queryable, { mail, recipient }: LateReportOf, report: Ending): Promise<EmailStatus | null> {
  const { rowCount } = await tx.query(
    report.kind === 'bounced' ? bounceOf(mail.id, recipient.ordinal, report) : complaintOf(mail.id, recipient.ordinal),
  );
  if (rowCount === 0) return null;
  const { rows } = await tx.query<{ status: EmailStatus }>({
    name: 'late-statuses',
    text: 'SELECT status FROM recipients WHERE email_id = $1',
    values: [mail.id],
  });
  return aggregateStatus(rows.map((row) => row.status));
}

/** The report's words take the place of those with which the mail was taken: they are the last ones. */
const bounceOf = (id: string, ordinal: number, { code, enhanced, text, mx, ip }: BounceReport) => ({
  name: 'late-bounce',
  text: `UPDATE recipients SET status = 'bounced', smtp_code = $3, smtp_enhanced = $4, smtp_text = $5, mx = $6, ip = $7,
                tls = NULL
          WHERE email_id = $1 AND ordinal = $2 AND status = 'delivered'`,
  values: [id, ordinal, code, enhanced, text, mx, ip],
});

const complaintOf = (id: string, ordinal: number) => ({
  name: 'late-complaint',
  text: `UPDATE recipients SET status = 'complained' WHERE email_id = $1 AND ordinal = $2 AND status = 'delivered'`,
  values: [id, ordinal],
});

function eventOf({ mail, recipient, at, report }: LateReportOf, sequence: number): RoutedEvent {
  const common = { recipient: recipient.address, at, sequence };
  const when = at.toISOString();
  switch (report.kind) {
    case 'bounced':
      return emailEvent(mail, { ...common, type: 'email.bounced', added: bounceFacts(report) });
    case 'complained': {
      const { feedbackType, reporter, userAgent } = report;
      const complaint = { type: feedbackType, user_agent: userAgent };
      const added = { complained_at: when, feedback_type: feedbackType, reporter, complaint };
      return emailEvent(mail, { ...common, type: 'email.complained', added });
    }
    case 'opened': {
      const { ip, userAgent, count } = report;
      const added = { opened_at: when, ip, user_agent: userAgent, ...botFacts(report), open_count: count };
      return emailEvent(mail, { ...common, type: 'email.opened', added });
    }
    case 'clicked': {
      const { url, ip, userAgent } = report;
      const click = { link: url, timestamp: when, ipAddress: ip, userAgent };
      const added = { click_url: url, clicked_at: when, ...botFacts(report), click };
      return emailEvent(mail, { ...common, type: 'email.clicked', added });
    }
  }
}

const botFacts = ({ botKind }: Visitor) => ({ is_bot: botKind !== null, bot_kind: botKind });
