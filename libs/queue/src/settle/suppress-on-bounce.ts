import { type EmailInfo, searchKey, emailSuppressions } from '#libs/emails';
import { normaliseAddress } from '#libs/mime';
import type { ServerReply, BounceClass } from '#libs/mta';
import type { NewSuppression } from '#libs/suppressions';
import type { Queryable } from '#libs/persistence';
import type { RecipientOutcome } from './recipient-outcome.js';
import { databaseClock } from '#libs/kernel';

const REASON_LENGTH = 500;
const TEXT_LENGTH = 1_000;

/** A message that was rejected: by the server, or later by a report. */
export interface RejectedMessage {
  email: Pick<EmailInfo, 'id' | 'accountId' | 'domainId' | 'apiKeyId' | 'test' | 'tags' | 'sender'>;
}

/** The rejected recipient and the reply. */
export interface RejectedRecipient {
  recipient: { address: string };
  attempt: { reply: ServerReply; remote: { mx: string | null }; endedAt: Date };
  /** Set for simulated outcomes. */
  simulated?: object;
}

/** The suppression that a rejection leads to, with its evidence: message, server, time and reply. */
function bounceSuppression(
  { email }: RejectedMessage,
  { recipient, attempt: outcome }: RejectedRecipient,
  serviceDomain: string,
): NewSuppression {
  const { reply, remote, endedAt } = outcome;
  return {
    ...emailSuppressions.scope(email, serviceDomain),
    address: normaliseAddress(recipient.address),
    origin: 'bounce',
    reason: cut(reply.text, REASON_LENGTH),
    sourceId: email.id,
    evidence: {
      email_id: email.id,
      recipient: recipient.address,
      smtp_code: reply.code,
      enhanced_code: reply.enhanced,
      text: cut(reply.text, TEXT_LENGTH),
      mx: remote.mx,
      feedback_type: null,
      at: endedAt.toISOString(),
    },
  };
}

/** Cuts before half of a surrogate pair, which jsonb rejects. */
const cut = (text: string, length: number): string => text.slice(0, length).replace(/\p{Cs}$/u, '');

/** An outcome, or the outcome that a later report turns a delivery into. */
type BounceCandidate = RejectedRecipient &
  (
    | Pick<Extract<RecipientOutcome, { status: 'bounced' }>, 'status' | 'bounceType' | 'bounceClass'>
    | { status: Exclude<RecipientOutcome['status'], 'bounced'> }
  );

/** Bounce classes that concern the recipient itself, not the sender or the message. */
const RECIPIENT_CLASSES: ReadonlySet<string> = new Set(['invalid_recipient', 'bad_domain', 'inactive_mailbox']);

/** The suppression that an outcome leads to; null for most outcomes, and for simulated ones. */
export function hardBounceSuppression(
  job: RejectedMessage,
  verdict: BounceCandidate,
  serviceDomain: string,
): NewSuppression | null {
  if (job.email.test || verdict.simulated || verdict.status !== 'bounced') return null;
  if (verdict.bounceType !== 'hard' || !RECIPIENT_CLASSES.has(verdict.bounceClass)) return null;
  return bounceSuppression(job, verdict, serviceDomain);
}

/**
 * Messages rejected because of a full mailbox, and the days they must span, until the recipient is suppressed for a
 * while. See docs/decisions/022-suppressions.md.
 */
const MAILS = 3;
const OVER_DAYS = 7;
const ENTRY_DAYS = 30;
const DAY_MS = 86_400_000;

/**
 * Counts the rejections. After a pause as long as a suppression the count starts again; retries of one message count
 * once. Returns the mailboxes that have been full for long enough, and whether one accepted a message in between.
 */
const NOTE = `
  INSERT INTO full_mailboxes AS f (account_id, recipient_key, email_ids, first_at, last_at)
  SELECT account_id, recipient_key, ARRAY[email_id], at, at
    FROM json_to_recordset($1::json) AS v(account_id text, recipient_key bigint, email_id text, at timestamptz)
  ON CONFLICT (account_id, recipient_key) DO UPDATE
     SET email_ids = CASE WHEN excluded.first_at > f.last_at + make_interval(days => $2) THEN excluded.email_ids
                       WHEN f.email_ids @> excluded.email_ids OR cardinality(f.email_ids) = $3 THEN f.email_ids
                       ELSE f.email_ids || excluded.email_ids END,
         first_at = CASE WHEN excluded.first_at > f.last_at + make_interval(days => $2) THEN excluded.first_at
                         ELSE f.first_at END,
         last_at = greatest(f.last_at, excluded.last_at)
  RETURNING account_id, recipient_key::text AS key,
            cardinality(email_ids) = $3 AND last_at >= first_at + make_interval(days => $4) AS long,
            CASE WHEN cardinality(email_ids) = $3 AND last_at >= first_at + make_interval(days => $4) THEN EXISTS (
              SELECT FROM recipients r JOIN emails e ON e.id = r.email_id
               WHERE r.search_key = f.recipient_key AND r.email_id > f.email_ids[1] AND e.account_id = f.account_id
                 AND r.status IN ('delivered', 'complained')) END AS "hadRoom"`;

/**
 * A count that led to a suppression is over: after the suppression is removed, one more rejection does not add it
 * again.
 */
const FORGET = `
  DELETE FROM full_mailboxes f USING json_to_recordset($1::json) AS v(account_id text, key bigint)
   WHERE f.account_id = v.account_id AND f.recipient_key = v.key`;

/** An outcome that was written; one without a class was a delivery. */
interface SettledRecipient {
  job: RejectedMessage;
  outcome: RejectedRecipient & { attempt: { class?: BounceClass } };
}

interface NoteRow {
  account_id: string;
  key: string;
  long: boolean;
  hadRoom: boolean | null;
}

/**
 * Suppressions for mailboxes that have been full again and again, from outcomes written in the same transaction. Makes
 * one statement, and only if one of the outcomes is a full mailbox.
 */
export async function fullMailboxSuppressions(
  tx: Queryable,
  applied: readonly SettledRecipient[],
  serviceDomain: string,
): Promise<NewSuppression[]> {
  const refusals = new Map<string, SettledRecipient>();
  for (const one of applied) if (isFull(one)) refusals.set(keyOf(one), one);
  if (refusals.size === 0) return [];
  // In one order, so that two batches cannot deadlock.
  const keys = [...refusals.keys()].sort();
  const notes = keys.map((key) => noteOf(refusals.get(key) as SettledRecipient));
  const { rows } = await tx.query<NoteRow>({
    name: 'full-mailboxes-note',
    text: NOTE,
    values: [JSON.stringify(notes), ENTRY_DAYS, MAILS, OVER_DAYS],
  });
  const over = rows.filter(({ long }) => long);
  if (over.length === 0) return [];
  await tx.query({ name: 'full-mailboxes-forget', text: FORGET, values: [JSON.stringify(over)] });
  return over
    .filter(({ hadRoom }) => hadRoom === false)
    .map((row) => entryOf(refusals.get(`${row.account_id} ${row.key}`) as SettledRecipient, serviceDomain));
}

function isFull({ job, outcome }: SettledRecipient): boolean {
  return !job.email.test && !outcome.simulated && outcome.attempt.class === 'quota';
}

const keyOf = ({ job, outcome }: SettledRecipient): string =>
  `${job.email.accountId} ${searchKey(job.email.accountId, normaliseAddress(outcome.recipient.address))}`;

function noteOf(refusal: SettledRecipient): object {
  const [accountId, key] = keyOf(refusal).split(' ');
  const { job, outcome } = refusal;
  return { account_id: accountId, recipient_key: key, email_id: job.email.id, at: outcome.attempt.endedAt };
}

function entryOf({ job, outcome }: SettledRecipient, serviceDomain: string): NewSuppression {
  const expiresAt = new Date(outcome.attempt.endedAt.getTime() + ENTRY_DAYS * DAY_MS);
  return { ...bounceSuppression(job, outcome, serviceDomain), expiresAt };
}

/** Deletes the counts of mailboxes whose last rejection is too old to count. Returns their number. */
export async function pruneFullMailboxes(db: Queryable, now = databaseClock.date()): Promise<number> {
  const before = new Date(now.getTime() - ENTRY_DAYS * DAY_MS);
  return (await db.query('DELETE FROM full_mailboxes WHERE last_at < $1', [before])).rowCount;
}
