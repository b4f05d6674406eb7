import { newId, type EmailStatus, type RoutedEvent } from '#libs/contracts';
import { insertPortion, portionOf, type Queryable } from '#libs/persistence';
import { aggregateStatus, lastEventOf } from '../email-status.js';
import { claimedBy } from './claimed-by.js';
import type { DeliveryJob } from './delivery-job.js';
import { earlierHosts } from './earlier-hosts.js';
import { eventsOf } from './outcome-events.js';
import type { Verdict } from './verdict.js';

export interface SettleItem {
  job: DeliveryJob;
  verdicts: Verdict[];
}
/** A verdict that was written: the claim and its fence were still ours. */
export interface Applied {
  job: DeliveryJob;
  verdict: Verdict;
}
interface MailRow {
  id: string;
  sequence: number;
}

/**
 * Writes down a group of outcomes in one transaction: recipients (only where claim and fence are still ours), attempts,
 * the mails' aggregate status, and one outbox row per fact with its sequence taken under the mail's row lock.
 * Mail rows are locked in id order, so that two groups cannot wait for each other in a ring. Returns what was written.
 */
export async function settleBatch(tx: Queryable, workerId: string, items: SettleItem[]): Promise<Applied[]> {
  const { mails, applied } = await applyVerdicts(tx, workerId, items);
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
  await writeFacts(tx, { mails: [...changed.values()], applied, events });
  return applied;
}

interface Locked {
  mails: Map<string, MailRow>;
  applied: Applied[];
}

/**
 * One statement: locks the mails and writes the recipients that are still ours. The outcomes that counted come back in
 * the order of the items, so that a mail's events keep the order of what happened.
 */
async function applyVerdicts(tx: Queryable, workerId: string, items: SettleItem[]): Promise<Locked> {
  const byKey = new Map<string, Applied>();
  for (const { job, verdicts } of items)
    for (const verdict of verdicts) byKey.set(`${job.mail.id} ${verdict.recipient.ordinal}`, { job, verdict });
  const { rows } = await tx.query<{ mails: MailRow[] | null; done: { email_id: string; ordinal: number }[] | null }>({
    name: 'settle-recipients',
    text: `WITH mails AS (
             SELECT id, sequence FROM emails WHERE id = ANY($1) ORDER BY id FOR NO KEY UPDATE),
           done AS (
             UPDATE recipients r SET status = v.status, attempts = v.attempts, due_at = v.due_at, claimed_by = NULL,
               smtp_code = v.smtp_code, smtp_enhanced = v.smtp_enhanced, smtp_text = v.smtp_text, mx = v.mx, ip = v.ip, tls = v.tls
             FROM (SELECT * FROM json_to_recordset($2::json) AS v(email_id text, ordinal smallint, fence int, status text, attempts smallint,
               due_at timestamptz, smtp_code smallint, smtp_enhanced text, smtp_text text, mx text, ip text, tls text) LIMIT $4) AS v
             WHERE r.email_id = v.email_id AND r.ordinal = v.ordinal AND ${claimedBy('$3')} AND r.fence = v.fence
             RETURNING r.email_id, r.ordinal)
           SELECT (SELECT json_agg(mails) FROM mails) AS mails, (SELECT json_agg(done) FROM done) AS done`,
    values: [
      [...new Set(items.map((item) => item.job.mail.id))].sort(),
      JSON.stringify([...byKey.values()].map(recipientRow)),
      workerId,
      byKey.size,
    ],
  });
  const ours = new Set((rows[0].done ?? []).map((row) => `${row.email_id} ${row.ordinal}`));
  return {
    mails: new Map((rows[0].mails ?? []).map((row) => [row.id, row])),
    applied: [...byKey].filter(([key]) => ours.has(key)).map(([, applied]) => applied),
  };
}

function recipientRow({ job, verdict }: Applied): object {
  return {
    email_id: job.mail.id,
    ordinal: verdict.recipient.ordinal,
    fence: verdict.recipient.fence,
    status: verdict.status,
    attempts: verdict.attempts,
    due_at: verdict.status === 'deferred' ? verdict.nextAt : null,
    ...smtpColumns(verdict.outcome.reply, verdict.outcome.remote),
  };
}

const smtpColumns = (reply: Verdict['outcome']['reply'], remote: Verdict['outcome']['remote']) => ({
  smtp_code: reply.code,
  smtp_enhanced: reply.enhanced,
  smtp_text: reply.text.slice(0, 1_000),
  mx: remote.mx,
  ip: remote.ip,
  tls: remote.tls,
});

const lineColumns = ({ cipher, verified, policy, source, provider }: Verdict['outcome']['remote']) => ({
  cipher,
  verified,
  policy,
  source,
  provider,
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

async function writeFacts(
  tx: Queryable,
  facts: { mails: object[]; applied: Applied[]; events: RoutedEvent[] },
): Promise<void> {
  const { mails, applied, events } = facts;
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
    ...lineColumns(verdict.outcome.remote),
    earlier: earlierHosts(verdict.outcome.earlier),
  }));
  const columns =
    'id, email_id, ordinal, number, outcome, phase, smtp_code, smtp_enhanced, smtp_text, mx, ip, tls, cipher, verified, policy, source, provider, earlier, started_at, ended_at';
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
               smtp_code smallint, smtp_enhanced text, smtp_text text, mx text, ip text, tls text, cipher text, verified boolean, policy text,
               source text, provider text, earlier jsonb, started_at timestamptz, ended_at timestamptz))
           ${insertPortion(3)}`,
    values: [JSON.stringify(mails), JSON.stringify(attempts), ...portionOf(events)],
  });
}
