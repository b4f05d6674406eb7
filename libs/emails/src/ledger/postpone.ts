import type { WaitReason } from '#libs/mta';
import type { Queryable } from '#libs/persistence';
import { claimedBy } from './claimed-by.js';
import type { DeliveryJob } from './delivery-job.js';

/** A job that goes back unsent; its attempts so far stay as they are. */
export interface Postponed {
  job: DeliveryJob;
  /** When it is due again; null: as it was. */
  until: Date | null;
  /** What holds it back, for people to read. */
  reason: WaitReason | null;
}

/**
 * Beyond the end of the lifetime nothing is postponed, but for the minute by which a last attempt may be late: the claim
 * that comes then ends it.
 */
const LATEST_DUE = `r.expires_at + interval '61 seconds'`;

/** Gives recipients of ours back, all in one statement; a claim that was lost meanwhile is left alone. */
export async function postpone(db: Queryable, workerId: string, items: readonly Postponed[]): Promise<void> {
  const rows = items.flatMap(({ job, until, reason }) =>
    job.recipients.map(({ ordinal, fence }) => ({
      email_id: job.mail.id,
      ordinal,
      fence,
      due_at: until ?? undefined,
      wait: reason ?? undefined,
    })),
  );
  if (rows.length === 0) return;
  await db.query({
    name: 'ledger-postpone',
    text: `UPDATE recipients r SET claimed_by = NULL, due_at = LEAST(COALESCE(v.due_at, r.due_at), ${LATEST_DUE}), wait = v.wait,
                  status = CASE WHEN r.attempts = 0 THEN 'queued' ELSE 'deferred' END
           FROM (SELECT * FROM json_to_recordset($1::json)
             AS v(email_id text, ordinal smallint, fence int, due_at timestamptz, wait jsonb) LIMIT $3) AS v
           WHERE r.email_id = v.email_id AND r.ordinal = v.ordinal AND ${claimedBy('$2')} AND r.fence = v.fence`,
    values: [JSON.stringify(rows), workerId, rows.length],
  });
}

/** How many recipients one statement holds back. */
export const HELD_BACK_AT_ONCE = 500;

/**
 * Mail of a closed queue that nobody has claimed: not due again before `until`. At most `HELD_BACK_AT_ONCE` recipients;
 * returns how many.
 */
export async function holdBack(
  db: Queryable,
  { domains, until, reason }: { domains: readonly string[]; until: Date; reason: WaitReason },
): Promise<number> {
  const { rowCount } = await db.query({
    name: 'ledger-hold-back',
    text: `WITH held AS (
             SELECT waiting.email_id, waiting.ordinal FROM unnest($1::text[]) AS d(domain)
             CROSS JOIN LATERAL (
               SELECT email_id, ordinal FROM recipients
               WHERE domain = d.domain AND due_at <= now() AND claimed_by IS NULL AND ripe
               ORDER BY due_at LIMIT ${HELD_BACK_AT_ONCE} FOR UPDATE SKIP LOCKED) AS waiting
             LIMIT ${HELD_BACK_AT_ONCE})
           UPDATE recipients r SET due_at = LEAST($2, ${LATEST_DUE}), wait = $3, ripe = NULL
           FROM held WHERE r.email_id = held.email_id AND r.ordinal = held.ordinal`,
    values: [domains, until, JSON.stringify(reason)],
  });
  return rowCount;
}
