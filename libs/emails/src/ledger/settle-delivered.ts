import { newId } from '#libs/contracts';
import { isoTime } from '#libs/kernel';
import { insertPortion, portionOf, type Queryable } from '#libs/persistence';
import { claimedBy } from './claimed-by.js';
import { earlierHosts } from './earlier-hosts.js';
import { eventsOf } from './outcome-events.js';
import type { SettleItem } from './settle-batch.js';

/** All that a mail with one recipient leads to when it was taken: nothing else has to be read or written for it. */
export const isPlainDelivery = ({ job, verdicts }: SettleItem): boolean =>
  job.mail.recipientCount === 1 &&
  verdicts.length === 1 &&
  verdicts[0].status === 'delivered' &&
  !verdicts[0].simulated?.report;

/** As long as these are ours and their mails as they were when claimed; locked in one order, each mail before its recipient. */
const HELD = `
  SELECT v.* FROM (
    SELECT * FROM json_to_recordset($1::json) AS v(
      attempt text, email_id text, ordinal smallint, fence int, attempts smallint, smtp_code smallint, smtp_enhanced text,
      smtp_text text, mx text, ip text, tls text, cipher text, verified boolean, policy text, source text, provider text,
      earlier jsonb, started_at timestamptz, ended_at timestamptz, before int, sequence int) LIMIT $3) AS v
  JOIN emails e ON e.id = v.email_id AND e.sequence = v.before
  JOIN recipients r ON r.email_id = v.email_id AND r.ordinal = v.ordinal AND ${claimedBy('$2')} AND r.fence = v.fence
  ORDER BY e.id FOR NO KEY UPDATE OF e, r`;

/** Taken over from the outcome as they are, by the recipient and by the attempt. */
const REPLY = ['smtp_code', 'smtp_enhanced', 'smtp_text', 'mx', 'ip', 'tls'];
const LINE = 'cipher, verified, policy, source, provider, earlier, started_at, ended_at';

// The events' place in the outbox is taken by the insert, which waits for what EXISTS says: under the mails' locks.
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
  o AS (${insertPortion(4)} AND EXISTS (SELECT FROM ours))
  SELECT EXISTS (SELECT FROM ours) AS written`;

/**
 * Writes down plain deliveries in one statement, and so in one round trip: what `settleBatch` does in a transaction. All
 * or none: false when a claim or fence is not ours any more, or something else has happened to a mail meanwhile.
 */
export async function settleDelivered(db: Queryable, workerId: string, items: readonly SettleItem[]): Promise<boolean> {
  if (items.length === 0) return true;
  if (new Set(items.map(({ job }) => job.mail.id)).size < items.length) return false;
  const settled = items.map(rowsOf);
  const { rows } = await db.query<{ written: boolean }>({
    name: 'settle-delivered',
    text: SETTLE,
    values: [
      JSON.stringify(settled.map(({ row }) => row)),
      workerId,
      items.length,
      ...portionOf(settled.flatMap(({ events }) => events)),
    ],
  });
  return rows[0].written;
}

function rowsOf({ job, verdicts: [verdict] }: SettleItem) {
  const { recipient, attempts, outcome } = verdict;
  const { reply, remote } = outcome;
  let { sequence } = job.mail;
  const events = eventsOf(job, verdict, () => ++sequence);
  const row = {
    attempt: newId('atm'),
    email_id: job.mail.id,
    ordinal: recipient.ordinal,
    fence: recipient.fence,
    attempts,
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
    earlier: earlierHosts(outcome.earlier),
    started_at: isoTime(outcome.startedAt),
    ended_at: isoTime(outcome.endedAt),
    before: job.mail.sequence,
    sequence,
  };
  return { row, events };
}
