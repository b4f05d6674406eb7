import { newId, type EmailStatus, type RoutedEvent, type ViewOf } from '#libs/contracts';
import { emailStatus, type DeliveryJob, type emailShapes } from '#libs/emails';
import { outbox, type Queryable } from '#libs/persistence';
import type { EarlierHost } from '#libs/mta';
import { claimedBy } from '../claim/requeue.js';
import { eventsOf } from './outcome-events.js';
import type { RecipientOutcome } from './recipient-outcome.js';

export interface SettleItem {
  job: DeliveryJob;
  outcomes: RecipientOutcome[];
}
/** An outcome that was written: the claim and its fence were still valid. */
export interface Applied {
  job: DeliveryJob;
  outcome: RecipientOutcome;
}
interface EmailRow {
  id: string;
  sequence: number;
}

/**
 * Records a group of outcomes in one transaction: recipients (only where claim and fence are still valid), attempts,
 * the aggregate status of the messages, and one event per fact with a sequence number taken under the lock of the
 * message's row. Rows are locked in id order, so that two groups cannot deadlock. Returns the outcomes that were
 * written.
 */
export async function settleBatch(tx: Queryable, workerId: string, items: SettleItem[]): Promise<Applied[]> {
  const { emails, applied } = await updateRecipients(tx, workerId, items);
  if (applied.length === 0) return [];
  const statuses = await statusesOf(tx, applied);
  const events: RoutedEvent[] = [];
  const changed = new Map<
    string,
    { id: string; status: EmailStatus; last_event: string; sequence: number; delivered_at: Date | null; at: Date }
  >();
  for (const { job, outcome } of applied) {
    const email = emails.get(job.email.id) as EmailRow;
    events.push(...eventsOf(job, outcome, () => ++email.sequence));
    const status = emailStatus.aggregate(statuses.get(job.email.id) ?? [outcome.status]);
    changed.set(job.email.id, {
      id: job.email.id,
      status,
      last_event: emailStatus.lastEvent(outcome.status),
      sequence: email.sequence,
      delivered_at: status === 'delivered' ? outcome.attempt.endedAt : null,
      at: outcome.attempt.endedAt,
    });
  }
  await insertFacts(tx, { emails: [...changed.values()], applied, events });
  return applied;
}

interface Locked {
  emails: Map<string, EmailRow>;
  applied: Applied[];
}

/**
 * Locks the messages and updates the recipients in one statement. Returns the written outcomes in the order of the
 * items, so that the events of a message keep the order of what happened.
 */
async function updateRecipients(tx: Queryable, workerId: string, items: SettleItem[]): Promise<Locked> {
  const byKey = new Map<string, Applied>();
  for (const { job, outcomes } of items)
    for (const outcome of outcomes) byKey.set(`${job.email.id} ${outcome.recipient.ordinal}`, { job, outcome });
  const { rows } = await tx.query<{ emails: EmailRow[] | null; done: { email_id: string; ordinal: number }[] | null }>({
    name: 'settle-recipients',
    text: `WITH locked AS (
             SELECT id, sequence FROM emails WHERE id = ANY($1) ORDER BY id FOR NO KEY UPDATE),
           done AS (
             UPDATE recipients r SET status = v.status, attempts = v.attempts, due_at = v.due_at, claimed_by = NULL,
               smtp_code = v.smtp_code, smtp_enhanced = v.smtp_enhanced, smtp_text = v.smtp_text, mx = v.mx, ip = v.ip, tls = v.tls
             FROM (SELECT * FROM json_to_recordset($2::json) AS v(email_id text, ordinal smallint, fence int, status text, attempts smallint,
               due_at timestamptz, smtp_code smallint, smtp_enhanced text, smtp_text text, mx text, ip text, tls text) LIMIT $4) AS v
             WHERE r.email_id = v.email_id AND r.ordinal = v.ordinal AND ${claimedBy('$3')} AND r.fence = v.fence
             RETURNING r.email_id, r.ordinal)
           SELECT (SELECT json_agg(locked) FROM locked) AS emails, (SELECT json_agg(done) FROM done) AS done`,
    values: [
      [...new Set(items.map((item) => item.job.email.id))].sort(),
      JSON.stringify([...byKey.values()].map(recipientRow)),
      workerId,
      byKey.size,
    ],
  });
  const ours = new Set((rows[0].done ?? []).map((row) => `${row.email_id} ${row.ordinal}`));
  return {
    emails: new Map((rows[0].emails ?? []).map((row) => [row.id, row])),
    applied: [...byKey].filter(([key]) => ours.has(key)).map(([, applied]) => applied),
  };
}

function recipientRow({ job, outcome }: Applied): object {
  return {
    email_id: job.email.id,
    ordinal: outcome.recipient.ordinal,
    fence: outcome.recipient.fence,
    status: outcome.status,
    attempts: outcome.attemptNumber,
    due_at: outcome.status === 'deferred' ? outcome.nextAt : null,
    ...smtpColumns(outcome.attempt.reply, outcome.attempt.remote),
  };
}

const smtpColumns = (reply: RecipientOutcome['attempt']['reply'], remote: RecipientOutcome['attempt']['remote']) => ({
  smtp_code: reply.code,
  smtp_enhanced: reply.enhanced,
  smtp_text: reply.text.slice(0, 1_000),
  mx: remote.mx,
  ip: remote.ip,
  tls: remote.tls,
});

const connectionColumns = ({ cipher, verified, policy, source, provider }: RecipientOutcome['attempt']['remote']) => ({
  cipher,
  verified,
  policy,
  source,
  provider,
});

/** Statuses of all recipients, for messages with more than one. */
async function statusesOf(tx: Queryable, applied: Applied[]): Promise<Map<string, EmailStatus[]>> {
  const ids = [...new Set(applied.filter(({ job }) => job.email.recipientCount > 1).map(({ job }) => job.email.id))];
  if (ids.length === 0) return new Map();
  const { rows } = await tx.query<{ email_id: string; statuses: EmailStatus[] }>({
    name: 'settle-statuses',
    text: 'SELECT email_id, array_agg(status) AS statuses FROM recipients WHERE email_id = ANY($1) GROUP BY email_id',
    values: [ids],
  });
  return new Map(rows.map((row) => [row.email_id, row.statuses]));
}

async function insertFacts(
  tx: Queryable,
  facts: { emails: object[]; applied: Applied[]; events: RoutedEvent[] },
): Promise<void> {
  const { emails, applied, events } = facts;
  const attempts = applied.map(({ job, outcome }) => ({
    id: newId('atm'),
    email_id: job.email.id,
    ordinal: outcome.recipient.ordinal,
    number: outcome.attemptNumber,
    outcome: outcome.attempt.kind === 'deferred' ? outcome.attempt.certainty : outcome.attempt.kind,
    phase: outcome.attempt.kind === 'delivered' ? null : outcome.attempt.phase,
    bounce_class: outcome.attempt.kind === 'delivered' ? null : outcome.attempt.class,
    started_at: outcome.attempt.startedAt,
    ended_at: outcome.attempt.endedAt,
    ...smtpColumns(outcome.attempt.reply, outcome.attempt.remote),
    ...connectionColumns(outcome.attempt.remote),
    earlier: earlierHosts(outcome.attempt.earlier),
  }));
  const columns =
    'id, email_id, ordinal, number, outcome, phase, bounce_class, smtp_code, smtp_enhanced, smtp_text, mx, ip, tls, cipher, verified, policy, source, provider, earlier, started_at, ended_at';
  await tx.query({
    name: 'settle-facts',
    text: `WITH m AS (
             UPDATE emails e SET status = v.status, last_event = v.last_event, sequence = v.sequence, updated_at = v.at,
                    delivered_at = COALESCE(e.delivered_at, v.delivered_at)
             FROM json_to_recordset($1::json) AS v(id text, status text, last_event text, sequence int, at timestamptz, delivered_at timestamptz)
             WHERE e.id = v.id),
           a AS (
             INSERT INTO attempts (${columns})
             SELECT ${columns} FROM json_to_recordset($2::json) AS v(id text, email_id text, ordinal smallint, number smallint, outcome text, phase text, bounce_class text,
               smtp_code smallint, smtp_enhanced text, smtp_text text, mx text, ip text, tls text, cipher text, verified boolean, policy text,
               source text, provider text, earlier jsonb, started_at timestamptz, ended_at timestamptz))
           ${outbox.insert(3)}`,
    values: [JSON.stringify(emails), JSON.stringify(attempts), ...outbox.values(events)],
  });
}

/** The value of `attempts.earlier`; undefined, and so not written, where the first host decided. */
export const earlierHosts = (
  hosts: readonly EarlierHost[] | undefined,
): ViewOf<typeof emailShapes.earlierHost>[] | undefined =>
  hosts?.map(({ phase, reply, remote }) => ({
    phase,
    code: reply.code,
    enhanced: reply.enhanced,
    text: reply.text,
    mx: remote.mx,
    ip: remote.ip,
    tls: remote.tls,
  }));
