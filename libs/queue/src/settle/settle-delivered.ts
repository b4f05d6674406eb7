import { newId } from '#libs/contracts';
import { outbox, type Queryable } from '#libs/persistence';
import { claimedBy } from '../claim/requeue.js';
import { earlierHosts, type SettleItem } from './settle-batch.js';
import { eventsOf } from './outcome-events.js';

/** True for the delivery of a message with one recipient: no other row has to be read or written. */
export const isPlainDelivery = ({ job, outcomes }: SettleItem): boolean =>
  job.email.recipientCount === 1 &&
  outcomes.length === 1 &&
  outcomes[0].status === 'delivered' &&
  !outcomes[0].simulated?.report;

/**
 * The rows, if all claims are still valid and no message has changed since its claim; locked in one order, each message
 * before its recipient.
 */
const HELD = `
  SELECT v.* FROM (
    SELECT * FROM json_to_recordset($1::json) AS v(
      attempt text, email_id text, ordinal smallint, fence int, attempts smallint, smtp_code smallint, smtp_enhanced text,
      smtp_text text, mx text, ip text, tls text, cipher text, verified boolean, policy text, source text, provider text,
      earlier jsonb, started_at timestamptz, ended_at timestamptz, before int, sequence int) LIMIT $3) AS v
  JOIN emails e ON e.id = v.email_id AND e.sequence = v.before
  JOIN recipients r ON r.email_id = v.email_id AND r.ordinal = v.ordinal AND ${claimedBy('$2')} AND r.fence = v.fence
  ORDER BY e.id FOR NO KEY UPDATE OF e, r`;

/** Columns copied from the attempt to the recipient. */
const REPLY = ['smtp_code', 'smtp_enhanced', 'smtp_text', 'mx', 'ip', 'tls'];
const LINE = 'cipher, verified, policy, source, provider, earlier, started_at, ended_at';

// The insert takes the outbox position only after EXISTS was evaluated, and so under the locks of the messages.
const SETTLE = `
  WITH held AS (${HELD}),
  ours AS (SELECT * FROM held WHERE (SELECT count(*) FROM held) = $3),
  r AS (
    UPDATE recipients r SET status = 'delivered', attempts = v.attempts, due_at = NULL, claimed_by = NULL,
           ${REPLY.map((name) => `${name} = v.${name}`).join(', ')}
    FROM ours v WHERE r.email_id = v.email_id AND r.ordinal = v.ordinal),
  e AS (
    UPDATE emails e SET status = 'delivered', last_event = 'delivered', sequence = v.sequence, updated_at = v.ended_at,
           delivered_at = v.ended_at
    FROM ours v WHERE e.id = v.email_id),
  a AS (
    INSERT INTO attempts (id, email_id, ordinal, number, outcome, ${REPLY.join(', ')}, ${LINE})
    SELECT attempt, email_id, ordinal, attempts, 'delivered', ${REPLY.join(', ')}, ${LINE} FROM ours),
  o AS (${outbox.insert(4)} AND EXISTS (SELECT FROM ours))
  SELECT EXISTS (SELECT FROM ours) AS written`;

/**
 * Records plain deliveries in one statement and round trip, with the same result as `settleBatch` in a transaction. All
 * or none: returns false when a claim or fence is no longer valid, or a message has changed meanwhile.
 */
export async function settleDelivered(db: Queryable, workerId: string, items: readonly SettleItem[]): Promise<boolean> {
  if (items.length === 0) return true;
  if (new Set(items.map(({ job }) => job.email.id)).size < items.length) return false;
  const settled = items.map(rowsOf);
  const { rows } = await db.query<{ written: boolean }>({
    name: 'settle-delivered',
    text: SETTLE,
    values: [
      JSON.stringify(settled.map(({ row }) => row)),
      workerId,
      items.length,
      ...outbox.values(settled.flatMap(({ events }) => events)),
    ],
  });
  return rows[0].written;
}

function rowsOf({ job, outcomes: [outcome] }: SettleItem) {
  const { recipient, attemptNumber, attempt } = outcome;
  const { reply, remote } = attempt;
  let { sequence } = job.email;
  const events = eventsOf(job, outcome, () => ++sequence);
  const row = {
    attempt: newId('atm'),
    email_id: job.email.id,
    ordinal: recipient.ordinal,
    fence: recipient.fence,
    attempts: attemptNumber,
    smtp_code: reply.code,
    smtp_enhanced: reply.enhanced,
    smtp_text: reply.text.slice(0, 1_000),
    mx: remote.mx,
    ip: remote.ip,
    tls: remote.tls,
    cipher: remote.cipher,
    verified: remote.verified,
    policy: remote.policy,
    source: remote.source,
    provider: remote.provider,
    earlier: earlierHosts(attempt.earlier),
    started_at: attempt.startedAt.toISOString(),
    ended_at: attempt.endedAt.toISOString(),
    before: job.email.sequence,
    sequence,
  };
  return { row, events };
}
