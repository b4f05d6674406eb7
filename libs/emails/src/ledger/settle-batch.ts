import { newId, type EmailStatus, type RoutedEvent } from '#libs/contracts';
import { OUTBOX_COLUMNS, OUTBOX_FROM_ARRAYS, outboxArrays, type Queryable } from '#libs/persistence';
import { aggregateStatus, lastEventOf } from '../email-status.js';
import { bounceFacts, emailEvent } from '../email-events.js';
import type { DeliveryJob } from './delivery-job.js';
import type { Verdict } from './verdict.js';

export interface SettleItem {
  job: DeliveryJob;
  verdicts: Verdict[];
}
/** Something for the suppression list to know, in the same transaction. */
export interface HardBounce {
  accountId: string;
  address: string;
  emailId: string;
  reason: string;
}

/** A verdict that was written: the claim and its fence were still ours. */
interface Applied {
  job: DeliveryJob;
  verdict: Verdict;
}
interface MailRow {
  id: string;
  sequence: number;
}

/** Classes of a bounce that speak of the recipient itself, not of us or our mail (D-50). */
const RECIPIENT_CLASSES: ReadonlySet<string> = new Set(['invalid_recipient', 'bad_domain', 'inactive_mailbox']);

/**
 * Writes down a group of outcomes in one transaction: recipients (only where claim and fence are still ours), attempts,
 * the mails' aggregate status, and one outbox row per fact with its sequence taken under the mail's row lock.
 * Mail rows are locked in id order, so that two groups cannot wait for each other in a ring.
 */
export async function settleBatch(tx: Queryable, workerId: string, items: SettleItem[]): Promise<HardBounce[]> {
  const mails = await lockMails(tx, [...new Set(items.map((item) => item.job.mail.id))].sort());
  const applied = await applyVerdicts(tx, workerId, items);
  if (applied.length === 0) return [];
  const statuses = await statusesOf(tx, applied);
  const events: RoutedEvent[] = [];
  const changed = new Map<
    string,
    { id: string; status: EmailStatus; last_event: string; sequence: number; delivered_at: Date | null; at: Date }
  >();
  for (const { job, verdict } of applied) {
    const mail = mails.get(job.mail.id) as MailRow;
    events.push(...eventsOf(job, verdict, () => ++mail.sequence));
    const status = aggregateStatus(statuses.get(job.mail.id) ?? [verdict.status]);
    changed.set(job.mail.id, {
      id: job.mail.id,
      status,
      last_event: lastEventOf(verdict.status),
      sequence: mail.sequence,
      delivered_at: status === 'delivered' ? verdict.outcome.endedAt : null,
      at: verdict.outcome.endedAt,
    });
  }
  await writeFacts(tx, [...changed.values()], applied, events);
  return applied.flatMap(hardBounces);
}

async function lockMails(tx: Queryable, ids: string[]): Promise<Map<string, MailRow>> {
  const { rows } = await tx.query<MailRow>({
    name: 'settle-lock',
    text: 'SELECT id, sequence FROM emails WHERE id = ANY($1) ORDER BY id FOR NO KEY UPDATE',
    values: [ids],
  });
  return new Map(rows.map((row) => [row.id, row]));
}

async function applyVerdicts(tx: Queryable, workerId: string, items: SettleItem[]): Promise<Applied[]> {
  const byKey = new Map<string, Applied>();
  const rows = items.flatMap(({ job, verdicts }) =>
    verdicts.map((verdict) => {
      byKey.set(`${job.mail.id} ${verdict.recipient.ordinal}`, { job, verdict });
      const { reply, remote } = verdict.outcome;
      return {
        email_id: job.mail.id,
        ordinal: verdict.recipient.ordinal,
        fence: verdict.recipient.fence,
        status: verdict.status,
        attempts: verdict.attempts,
        due_at: verdict.status === 'deferred' ? verdict.nextAt : null,
        ...smtpColumns(reply, remote),
      };
    }),
  );
  const { rows: done } = await tx.query<{ email_id: string; ordinal: number }>({
    name: 'settle-recipients',
    text: `UPDATE recipients r SET status = v.status, attempts = v.attempts, due_at = v.due_at, claimed_by = NULL,
             smtp_code = v.smtp_code, smtp_enhanced = v.smtp_enhanced, smtp_text = v.smtp_text, mx = v.mx, ip = v.ip, tls = v.tls
           FROM json_to_recordset($1::json) AS v(email_id text, ordinal smallint, fence int, status text, attempts smallint,
             due_at timestamptz, smtp_code smallint, smtp_enhanced text, smtp_text text, mx text, ip text, tls text)
           WHERE r.email_id = v.email_id AND r.ordinal = v.ordinal AND r.claimed_by = $2 AND r.fence = v.fence
           RETURNING r.email_id, r.ordinal`,
    values: [JSON.stringify(rows), workerId],
  });
  // In the order of the items, so that a mail's events keep the order of its outcomes.
  const ours = new Set(done.map((row) => `${row.email_id} ${row.ordinal}`));
  return [...byKey].filter(([key]) => ours.has(key)).map(([, applied]) => applied);
}

const smtpColumns = (reply: Verdict['outcome']['reply'], remote: Verdict['outcome']['remote']) => ({
  smtp_code: reply.code,
  smtp_enhanced: reply.enhanced,
  smtp_text: reply.text.slice(0, 1_000),
  mx: remote.mx,
  ip: remote.ip,
  tls: remote.tls,
});

/** Statuses of all recipients of those mails that have more than one. */
async function statusesOf(tx: Queryable, applied: Applied[]): Promise<Map<string, EmailStatus[]>> {
  const ids = [...new Set(applied.filter(({ job }) => job.mail.recipientCount > 1).map(({ job }) => job.mail.id))];
  if (ids.length === 0) return new Map();
  const { rows } = await tx.query<{ email_id: string; statuses: EmailStatus[] }>({
    name: 'settle-statuses',
    text: 'SELECT email_id, array_agg(status) AS statuses FROM recipients WHERE email_id = ANY($1) GROUP BY email_id',
    values: [ids],
  });
  return new Map(rows.map((row) => [row.email_id, row.statuses]));
}

async function writeFacts(tx: Queryable, mails: object[], applied: Applied[], events: RoutedEvent[]): Promise<void> {
  const attempts = applied.map(({ job, verdict }) => ({
    id: newId('atm'),
    email_id: job.mail.id,
    ordinal: verdict.recipient.ordinal,
    number: verdict.attempts,
    outcome: verdict.outcome.kind === 'deferred' ? verdict.outcome.certainty : verdict.outcome.kind,
    phase: verdict.outcome.kind === 'delivered' ? null : verdict.outcome.phase,
    started_at: verdict.outcome.startedAt,
    ended_at: verdict.outcome.endedAt,
    ...smtpColumns(verdict.outcome.reply, verdict.outcome.remote),
  }));
  const columns =
    'id, email_id, ordinal, number, outcome, phase, smtp_code, smtp_enhanced, smtp_text, mx, ip, tls, started_at, ended_at';
  await tx.query({
    name: 'settle-facts',
    text: `WITH m AS (
             UPDATE emails e SET status = v.status, last_event = v.last_event, sequence = v.sequence, updated_at = v.at,
                    delivered_at = COALESCE(e.delivered_at, v.delivered_at)
             FROM json_to_recordset($1::json) AS v(id text, status text, last_event text, sequence int, at timestamptz, delivered_at timestamptz)
             WHERE e.id = v.id),
           a AS (
             INSERT INTO attempts (${columns})
             SELECT ${columns} FROM json_to_recordset($2::json) AS v(id text, email_id text, ordinal smallint, number smallint, outcome text, phase text,
               smtp_code smallint, smtp_enhanced text, smtp_text text, mx text, ip text, tls text, started_at timestamptz, ended_at timestamptz))
           INSERT INTO outbox (${OUTBOX_COLUMNS}) ${OUTBOX_FROM_ARRAYS(3)}`,
    values: [JSON.stringify(mails), JSON.stringify(attempts), ...outboxArrays(events)],
  });
}

/** `email.sent` with the first attempt, then what came of it; a temporary failure is told once (D-35). */
function eventsOf({ mail }: DeliveryJob, verdict: Verdict, nextSequence: () => number): RoutedEvent[] {
  const { outcome, recipient, attempts } = verdict;
  const common = { recipient: recipient.address, at: outcome.endedAt };
  const events: RoutedEvent[] = [];
  // Scheduled mail is accepted at once but enters the queue only when its time has come.
  if (attempts === 1 && mail.releasedAt > mail.createdAt)
    events.push(
      emailEvent(mail, { ...common, type: 'email.queued', at: mail.releasedAt, sequence: nextSequence(), added: {} }),
    );
  if (attempts === 1)
    events.push(
      emailEvent(mail, {
        ...common,
        type: 'email.sent',
        at: outcome.startedAt,
        sequence: nextSequence(),
        added: { attempt: 1 },
      }),
    );
  const { code, enhanced, text } = outcome.reply;
  switch (verdict.status) {
    case 'delivered':
      events.push(
        emailEvent(mail, {
          ...common,
          type: 'email.delivered',
          sequence: nextSequence(),
          added: { delivered_at: outcome.endedAt.toISOString(), smtp_response: text, mx: outcome.remote.mx },
        }),
      );
      break;
    case 'bounced':
      events.push(
        emailEvent(mail, {
          ...common,
          type: 'email.bounced',
          sequence: nextSequence(),
          added: bounceFacts({ type: verdict.bounceType, class: verdict.bounceClass, text, code, enhanced }),
        }),
      );
      break;
    case 'deferred':
    case 'failed': {
      if (verdict.status === 'deferred' && attempts > 1) break;
      const final = verdict.status === 'failed';
      events.push(
        emailEvent(mail, {
          ...common,
          type: 'email.failed',
          sequence: nextSequence(),
          added: {
            failure_type: final ? 'final' : 'temporary',
            temporary: !final,
            reason: final ? `${verdict.reason}: ${text}` : text,
            smtp_code: code,
            enhanced_code: final ? '5.4.7' : enhanced,
            attempt: attempts,
            next_attempt_at: verdict.status === 'deferred' ? verdict.nextAt.toISOString() : null,
            failed: { reason: text },
          },
        }),
      );
    }
  }
  return events;
}

function hardBounces({ job, verdict }: Applied): HardBounce[] {
  if (
    job.mail.test ||
    verdict.status !== 'bounced' ||
    verdict.bounceType !== 'hard' ||
    !RECIPIENT_CLASSES.has(verdict.bounceClass)
  )
    return [];
  return [
    {
      accountId: job.mail.accountId,
      address: verdict.recipient.address,
      emailId: job.mail.id,
      reason: verdict.outcome.reply.text.slice(0, 500),
    },
  ];
}
