import { isId, newId, type EmailStatus } from '#libs/contracts';
import { emailInfoOf, type EmailInfoRow } from '#libs/emails';
import type { Database, Queryable } from '#libs/persistence';
import { failUnsent } from '../settle/fail-unsent.js';
import type { AttemptRecord } from './attempt-journal.js';

/** Why a restore held a recipient. */
export type HoldReason = 'in_flight' | 'not_covered';

/** A recipient that may have got its email before a restore. */
export interface HeldRecipient {
  email_id: string;
  account_id: string;
  address: string;
  subject: string;
  reason: HoldReason;
  due_at: string;
  held_at: string;
}

const LISTED = 1_000;
/** Emails whose recipients are dropped by one transaction. */
const DROPPED = 100;
/** Attempts that are sent to the database at once. */
const ATTEMPTS = 5_000;
const UNSETTLED: readonly EmailStatus[] = ['scheduled', 'queued', 'sending', 'deferred'];
/** Still as the restore left it: nobody has canceled the email meanwhile. */
const IS_HELD = `r.due_at IS NULL AND r.claimed_by IS NULL AND r.status IN ('scheduled', 'queued', 'deferred')`;

/** Recipients that a restore held, for the operator. */
export class HeldRecipients {
  constructor(private readonly database: Database) {}

  /** The oldest ones, at most a thousand, and how many there are. */
  async list(): Promise<{ count: number; recipients: HeldRecipient[] }> {
    const { rows } = await this.database.query<HeldRecipient & { count: number }>(
      `SELECT h.email_id, r.account_id, r.address, e.subject, h.reason, h.due_at, h.held_at, count(*) OVER ()::int AS count
         FROM held_recipients h JOIN recipients r USING (email_id, ordinal) JOIN emails e ON e.id = h.email_id
        WHERE ${IS_HELD} ORDER BY h.email_id, h.ordinal LIMIT ${LISTED}`,
    );
    return { count: rows.at(0)?.count ?? 0, recipients: rows.map(({ count: _count, ...row }) => row) };
  }

  /** Makes held recipients of an email, or of all (null), due again. Returns their number. */
  async release(emailId: string | null): Promise<number> {
    if (emailId !== null && !isId('em', emailId)) return 0;
    const { rows } = await this.database.query<{ count: number }>(
      `WITH held AS (DELETE FROM held_recipients h WHERE $1::text IS NULL OR h.email_id = $1 RETURNING h.*),
            released AS (
              UPDATE recipients r SET due_at = held.due_at, is_due = NULL, wait_reason = NULL FROM held
               WHERE r.email_id = held.email_id AND r.ordinal = held.ordinal AND ${IS_HELD} RETURNING 1)
       SELECT count(*)::int AS count FROM released`,
      [emailId],
    );
    return rows[0].count;
  }

  /** Ends held recipients of an email, or of all (null), as failed, with an event for each. Returns their number. */
  async drop(emailId: string | null): Promise<number> {
    if (emailId !== null && !isId('em', emailId)) return 0;
    for (let dropped = 0; ;) {
      const { rows } = await this.database.query<{ email_id: string }>(
        `SELECT DISTINCT email_id FROM held_recipients WHERE $1::text IS NULL OR email_id = $1 ORDER BY 1 LIMIT ${DROPPED}`,
        [emailId],
      );
      if (rows.length === 0) return dropped;
      for (const row of rows) dropped += await this.database.transaction((tx) => dropOf(tx, row.email_id));
    }
  }
}

/** Forgets those whose email was canceled or deleted meanwhile. */
export async function pruneHeldRecipients(db: Queryable): Promise<number> {
  const { rowCount } = await db.query(
    `DELETE FROM held_recipients h WHERE NOT EXISTS (
       SELECT FROM recipients r WHERE r.email_id = h.email_id AND r.ordinal = h.ordinal AND ${IS_HELD})`,
  );
  return rowCount;
}

async function dropOf(tx: Queryable, emailId: string): Promise<number> {
  const [email] = (
    await tx.query<EmailInfoRow>(
      `SELECT id, account_id, domain_id, api_key_id, mode, sender, header_to, subject, tags, message_id, created_at
         FROM emails WHERE id = $1 FOR NO KEY UPDATE`,
      [emailId],
    )
  ).rows;
  // Only claimed recipients can be ended.
  const claim = newId('wrk');
  const { rows } = await tx.query<{
    ordinal: number;
    address: string;
    attempts: number;
    fence: number;
    expires_at: Date;
  }>(
    `WITH held AS (DELETE FROM held_recipients WHERE email_id = $1 RETURNING ordinal)
     UPDATE recipients r SET claimed_by = $2 FROM held WHERE r.email_id = $1 AND r.ordinal = held.ordinal AND ${IS_HELD}
     RETURNING r.ordinal, r.address, r.attempts, r.fence, r.expires_at`,
    [emailId, claim],
  );
  if (rows.length === 0) return 0;
  const ends = rows.map(({ expires_at: expiresAt, ...row }) => ({
    recipient: { ...row, expiresAt, previousEnhanced: null },
    end: { status: 'failed', reason: 'dropped' } as const,
  }));
  await failUnsent(tx, claim, { email: emailInfoOf(email), ends });
  return ends.length;
}

/** The last attempts of recipients, from records in any order. */
export class LastAttempts {
  /** By email and number of the recipient: the highest fences of attempts that began and ended. */
  private readonly fences = new Map<string, { begun: number; ended: number }>();

  add({ begun, ended }: AttemptRecord): void {
    for (const [email, ordinal, fence] of begun) this.note(`${email} ${ordinal}`, { begun: fence, ended: 0 });
    for (const [email, ordinal, fence] of ended) this.note(`${email} ${ordinal}`, { begun: 0, ended: fence });
  }

  /** Those that have not ended. */
  *open(): Generator<{ email_id: string; ordinal: number; fence: number }> {
    for (const [key, { begun, ended }] of this.fences) {
      const [email_id, ordinal] = key.split(' ');
      if (begun > ended) yield { email_id, ordinal: Number(ordinal), fence: begun };
    }
  }

  private note(key: string, { begun, ended }: { begun: number; ended: number }): void {
    const last = this.fences.get(key);
    if (last === undefined) this.fences.set(key, { begun, ended });
    else {
      last.begun = Math.max(last.begun, begun);
      last.ended = Math.max(last.ended, ended);
    }
  }
}

/**
 * In the transaction of a restore, after everything that the journal knows was written: holds the recipients that may have
 * got their email, and frees the claims of all others. A recipient is in flight if an attempt of its last claim began and
 * has not ended; without a complete journal, every recipient that was due may have been attempted since. Returns the
 * numbers of held recipients.
 */
export async function holdUndecided(
  tx: Queryable,
  { attempts = new LastAttempts(), isCovered }: { attempts?: LastAttempts; isCovered: boolean },
): Promise<Record<HoldReason, number>> {
  await tx.query(
    'CREATE TEMP TABLE open_attempts (email_id text, ordinal smallint, fence int, PRIMARY KEY (email_id, ordinal)) ON COMMIT DROP',
  );
  const open = [...attempts.open()];
  for (let at = 0; at < open.length; at += ATTEMPTS)
    await tx.query(
      'INSERT INTO open_attempts SELECT * FROM json_to_recordset($1::json) AS a(email_id text, ordinal smallint, fence int)',
      [JSON.stringify(open.slice(at, at + ATTEMPTS))],
    );
  const { rows: counts } = await tx.query<{ reason: HoldReason; count: number }>(
    `WITH unsettled AS (
       SELECT r.email_id, r.ordinal, r.due_at, a.fence, coalesce(a.fence >= r.fence, false) AS is_in_flight
         FROM recipients r LEFT JOIN open_attempts a USING (email_id, ordinal)
        WHERE r.status = ANY ($1)),
     held AS (
       INSERT INTO held_recipients (email_id, ordinal, due_at, reason)
       SELECT email_id, ordinal, coalesce(due_at, now()), CASE WHEN is_in_flight THEN 'in_flight' ELSE 'not_covered' END
         FROM unsettled WHERE is_in_flight OR (NOT $2 AND due_at <= now())
       ON CONFLICT DO NOTHING RETURNING email_id, ordinal, reason),
     freed AS (
       UPDATE recipients r
          SET claimed_by = NULL, wait_reason = NULL, due_at = CASE WHEN h.reason IS NULL THEN r.due_at END,
              is_due = CASE WHEN h.reason IS NULL AND NOT r.is_due THEN false END,
              fence = greatest(r.fence, coalesce(u.fence, 0)),
              status = CASE WHEN r.status = 'scheduled' THEN r.status WHEN r.attempts = 0 THEN 'queued' ELSE 'deferred' END
         FROM unsettled u LEFT JOIN held h USING (email_id, ordinal)
        WHERE r.email_id = u.email_id AND r.ordinal = u.ordinal)
     SELECT reason, count(*)::int AS count FROM held GROUP BY reason`,
    [UNSETTLED, isCovered],
  );
  const of = (reason: HoldReason) => counts.find((row) => row.reason === reason)?.count ?? 0;
  return { in_flight: of('in_flight'), not_covered: of('not_covered') };
}
