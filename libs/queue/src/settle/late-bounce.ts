import type { BounceType, EmailEventBase, EmailStatus, EventData, LastEvent, RoutedEvent } from '#libs/contracts';
import { emailStatus, emailEvent, type EmailInfo } from '#libs/emails';
import { outbox, type Queryable } from '#libs/persistence';

/** The client that opened or clicked; null where the report does not tell. */
interface Client {
  ip: string | null;
  userAgent: string | null;
  botKind: string | null;
}

/** A delivery status notification; the host is the reporting one. */
interface BounceReport {
  type: BounceType;
  class: string;
  text: string;
  code: number | null;
  enhanced: string | null;
  mx: string | null;
  ip: string | null;
}

/** A report about a recipient after delivery. */
export type LateReport =
  | ({ kind: 'bounced' } & BounceReport)
  | { kind: 'complained'; feedbackType: string; reporter: string | null; userAgent: string | null }
  | ({ kind: 'opened'; count: number } & Client)
  | ({ kind: 'clicked'; url: string } & Client);

export interface LateReportRecord {
  email: EmailInfo;
  recipient: { ordinal: number; address: string };
  at: Date;
  report: LateReport;
}

/**
 * Records a report after delivery, in the caller's transaction and under the lock of the message's row. The only status
 * that changes is `delivered`, to `bounced` or `complained`; a repeated or late report changes nothing, emits no event
 * and returns false. Opens and clicks emit an event each time and never change the status. See
 * docs/decisions/018-status-and-events.md.
 */
export async function recordLateReport(tx: Queryable, of: LateReportRecord): Promise<boolean> {
  const { email, at, report } = of;
  const { rows } = await tx.query<{ sequence: number; status: EmailStatus }>({
    name: 'late-lock',
    text: 'SELECT sequence, status FROM emails WHERE id = $1 FOR NO KEY UPDATE',
    values: [email.id],
  });
  if (rows.length === 0) return false;
  const status = endsDelivery(report) ? await moved(tx, of, report) : rows[0].status;
  if (status === null) return false;
  const sequence = rows[0].sequence + 1;
  await tx.query({
    name: 'late-mail',
    text: `UPDATE emails SET status = $2, last_event = $3, sequence = $4, updated_at = greatest(updated_at, $5) WHERE id = $1`,
    values: [email.id, status, report.kind satisfies LastEvent, sequence, at],
  });
  await outbox.append(tx, [eventOf(of, sequence)]);
  return true;
}

type Ending = Extract<LateReport, { kind: 'bounced' | 'complained' }>;

function endsDelivery(report: LateReport): report is Ending {
  return report.kind === 'bounced' || report.kind === 'complained';
}

/** The status of the message after the recipient's has changed; null when it may not change any more. */
async function moved(
  tx: Queryable,
  { email, recipient }: LateReportRecord,
  report: Ending,
): Promise<EmailStatus | null> {
  const { rowCount } = await tx.query(
    report.kind === 'bounced'
      ? bounceOf(email.id, recipient.ordinal, report)
      : complaintOf(email.id, recipient.ordinal),
  );
  if (rowCount === 0) return null;
  const { rows } = await tx.query<{ status: EmailStatus }>({
    name: 'late-statuses',
    text: 'SELECT status FROM recipients WHERE email_id = $1',
    values: [email.id],
  });
  return emailStatus.aggregate(rows.map((row) => row.status));
}

/** The text of the report replaces the reply with which the message was accepted. */
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

function eventOf({ email, recipient, at, report }: LateReportRecord, sequence: number): RoutedEvent {
  const common = { recipient: recipient.address, at, sequence };
  const when = at.toISOString();
  switch (report.kind) {
    case 'bounced':
      return emailEvent(email, { ...common, type: 'email.bounced', added: bounceFields(report) });
    case 'complained': {
      const { feedbackType, reporter, userAgent } = report;
      const complaint = { type: feedbackType, user_agent: userAgent };
      const added = { complained_at: when, feedback_type: feedbackType, reporter, complaint };
      return emailEvent(email, { ...common, type: 'email.complained', added });
    }
    case 'opened': {
      const { ip, userAgent, count } = report;
      const added = { opened_at: when, ip, user_agent: userAgent, ...botFacts(report), open_count: count };
      return emailEvent(email, { ...common, type: 'email.opened', added });
    }
    case 'clicked': {
      const { url, ip, userAgent } = report;
      const click = { link: url, timestamp: when, ipAddress: ip, userAgent };
      const added = { click_url: url, clicked_at: when, ...botFacts(report), click };
      return emailEvent(email, { ...common, type: 'email.clicked', added });
    }
  }
}

const botFacts = ({ botKind }: Client) => ({ is_bot: botKind !== null, bot_kind: botKind, bot_rule: null });

/** The fields of `email.bounced` that follow from the reply. */
export function bounceFields(of: BounceReport): Omit<EventData['email.bounced'], keyof EmailEventBase> {
  return {
    bounce_type: of.type,
    bounce_message: of.text,
    bounce_class: of.class,
    smtp_code: of.code,
    enhanced_code: of.enhanced,
    mx: of.mx,
    ip: of.ip,
    bounce: { type: of.type, subType: of.class, message: of.text },
  };
}
