import { normaliseAddress } from '#libs/mime';
import type { BounceClass } from '#libs/mta';
import type { Queryable } from '#libs/persistence';
import type { NewSuppression } from '#libs/suppressions';
import { searchKey } from '../search-key.js';
import { bounceEntry, type Refused, type RefusedMail } from './bounce-entry.js';

/** D-50: so many mails refused for a full mailbox, over at least so long, suppress it for a while. */
const MAILS = 3;
const OVER_DAYS = 7;
const ENTRY_DAYS = 30;
const DAY_MS = 86_400_000;

/**
 * Notes the refusals; one after a pause as long as an entry begins a new count, and retries of one mail count once. Gives
 * back the mailboxes that have been full for long enough, and whether one took a mail in between after all.
 */
const NOTE = `
  INSERT INTO full_mailboxes AS f (account_id, recipient_key, emails, first_at, last_at)
  SELECT account_id, recipient_key, ARRAY[email_id], at, at
    FROM json_to_recordset($1::json) AS v(account_id text, recipient_key bigint, email_id text, at timestamptz)
  ON CONFLICT (account_id, recipient_key) DO UPDATE
     SET emails = CASE WHEN excluded.first_at > f.last_at + make_interval(days => $2) THEN excluded.emails
                       WHEN f.emails @> excluded.emails OR cardinality(f.emails) = $3 THEN f.emails
                       ELSE f.emails || excluded.emails END,
         first_at = CASE WHEN excluded.first_at > f.last_at + make_interval(days => $2) THEN excluded.first_at
                         ELSE f.first_at END,
         last_at = greatest(f.last_at, excluded.last_at)
  RETURNING account_id, recipient_key::text AS key,
            cardinality(emails) = $3 AND last_at >= first_at + make_interval(days => $4) AS long,
            CASE WHEN cardinality(emails) = $3 AND last_at >= first_at + make_interval(days => $4) THEN EXISTS (
              SELECT FROM recipients r JOIN emails e ON e.id = r.email_id
               WHERE r.search_key = f.recipient_key AND r.email_id > f.emails[1] AND e.account_id = f.account_id
                 AND r.status IN ('delivered', 'complained')) END AS "hadRoom"`;

/** A count that led somewhere is over: whoever takes the entry off the list is not met by it at the next refusal. */
const FORGET = `
  DELETE FROM full_mailboxes f USING json_to_recordset($1::json) AS v(account_id text, key bigint)
   WHERE f.account_id = v.account_id AND f.recipient_key = v.key`;

/** An outcome that was written; one without a class took the mail. */
interface Ended {
  job: RefusedMail;
  verdict: Refused & { outcome: { class?: BounceClass } };
}

interface NoteRow {
  account_id: string;
  key: string;
  long: boolean;
  hadRoom: boolean | null;
}

/**
 * Entries for mailboxes that have been full again and again (D-50), out of outcomes that were written in the same
 * transaction. One statement, and only when one of them is about a full mailbox.
 */
export async function fullMailboxes(tx: Queryable, applied: readonly Ended[]): Promise<NewSuppression[]> {
  const refusals = new Map<string, Ended>();
  for (const one of applied) if (isFull(one)) refusals.set(keyOf(one), one);
  if (refusals.size === 0) return [];
  // In one order, so that two batches cannot wait for each other in a ring.
  const keys = [...refusals.keys()].sort();
  const notes = keys.map((key) => noteOf(refusals.get(key) as Ended));
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
    .map((row) => entryOf(refusals.get(`${row.account_id} ${row.key}`) as Ended));
}

function isFull({ job, verdict }: Ended): boolean {
  return !job.mail.test && !verdict.simulated && verdict.outcome.class === 'quota';
}

const keyOf = ({ job, verdict }: Ended): string =>
  `${job.mail.accountId} ${searchKey(job.mail.accountId, normaliseAddress(verdict.recipient.address))}`;

function noteOf(refusal: Ended): object {
  const [accountId, key] = keyOf(refusal).split(' ');
  const { job, verdict } = refusal;
  return { account_id: accountId, recipient_key: key, email_id: job.mail.id, at: verdict.outcome.endedAt };
}

function entryOf({ job, verdict }: Ended): NewSuppression {
  const expiresAt = new Date(verdict.outcome.endedAt.getTime() + ENTRY_DAYS * DAY_MS);
  return { ...bounceEntry(job, verdict), expiresAt };
}
