import type { DeliveryJob } from '#libs/emails';
import type { WaitReason } from '#libs/mta';
import type { Queryable } from '#libs/persistence';

/** A job returned to the database without an attempt; its number of attempts does not change. */
export interface Requeued {
  job: DeliveryJob;
  /** The new due time; null: unchanged. */
  until: Date | null;
  /** Why it waits, shown by `/explain`. */
  reason: WaitReason | null;
}

/**
 * No due time is later than the end of the lifetime, plus the minute by which a last attempt may be late: the claim at
 * that time ends the recipient.
 */
const LATEST_DUE = `r.expires_at + interval '61 seconds'`;

/** Requeues jobs in one statement. A claim that was lost meanwhile is left alone. */
export async function requeueJobs(db: Queryable, workerId: string, items: readonly Requeued[]): Promise<void> {
  const rows = items.flatMap(({ job, until, reason }) =>
    job.recipients.map(({ ordinal, fence }) => ({
      email_id: job.email.id,
      ordinal,
      fence,
      due_at: until ?? undefined,
      wait_reason: reason ?? undefined,
    })),
  );
  if (rows.length === 0) return;
  await db.query({
    name: 'queue-requeue',
    text: `UPDATE recipients r SET claimed_by = NULL, due_at = LEAST(COALESCE(v.due_at, r.due_at), ${LATEST_DUE}), wait_reason = v.wait_reason,
                  status = CASE WHEN r.attempts = 0 THEN 'queued' ELSE 'deferred' END
           FROM (SELECT * FROM json_to_recordset($1::json)
             AS v(email_id text, ordinal smallint, fence int, due_at timestamptz, wait_reason jsonb) LIMIT $3) AS v
           WHERE r.email_id = v.email_id AND r.ordinal = v.ordinal AND ${claimedBy('$2')} AND r.fence = v.fence`,
    values: [JSON.stringify(rows), workerId, rows.length],
  });
}

/**
 * Holds claimed jobs whose account may not send: they are not due until `HeldMail` releases them. Their due time and number
 * of attempts do not change. Rows of version 0.1 have no account yet.
 */
export async function holdJobs(db: Queryable, workerId: string, jobs: readonly DeliveryJob[]): Promise<void> {
  const rows = jobs.flatMap(({ email, recipients }) =>
    recipients.map(({ ordinal, fence }) => ({ email_id: email.id, ordinal, fence, account_id: email.accountId })),
  );
  if (rows.length === 0) return;
  await db.query({
    name: 'queue-hold',
    text: `UPDATE recipients r SET claimed_by = NULL, is_due = false, wait_reason = NULL, account_id = v.account_id,
                  status = CASE WHEN r.attempts = 0 THEN 'queued' ELSE 'deferred' END
           FROM (SELECT * FROM json_to_recordset($1::json) AS v(email_id text, ordinal smallint, fence int, account_id text) LIMIT $3) AS v
           WHERE r.email_id = v.email_id AND r.ordinal = v.ordinal AND ${claimedBy('$2')} AND r.fence = v.fence`,
    values: [JSON.stringify(rows), workerId, rows.length],
  });
}

/** Recipients requeued by one statement. */
const REQUEUE_DOMAINS_LIMIT = 500;

/** Unclaimed recipients of a closed queue. */
export interface ClosedDomains {
  domains: readonly string[];
  /** Accounts in the penalty pool: the only ones if the queue belongs to it, else left out. */
  penalised: readonly string[];
  isPenalty: boolean;
  until: Date;
  reason: WaitReason;
}

/**
 * Delays unclaimed recipients of a closed queue until `until`. Returns the number of recipients, at most
 * `REQUEUE_DOMAINS_LIMIT`.
 */
export async function requeueDomains(
  db: Queryable,
  { domains, penalised, isPenalty, until, reason }: ClosedDomains,
): Promise<number> {
  const { rowCount } = await db.query({
    name: 'queue-hold-back',
    text: `WITH held AS (
             SELECT waiting.email_id, waiting.ordinal FROM unnest($1::text[]) AS d(domain)
             CROSS JOIN LATERAL (
               SELECT email_id, ordinal FROM recipients
               WHERE domain = d.domain AND due_at <= now() AND claimed_by IS NULL AND is_due AND (account_id = ANY($4::text[])) = $5
               LIMIT ${REQUEUE_DOMAINS_LIMIT} FOR UPDATE SKIP LOCKED) AS waiting
             LIMIT ${REQUEUE_DOMAINS_LIMIT})
           UPDATE recipients r SET due_at = LEAST($2, ${LATEST_DUE}), wait_reason = $3, is_due = NULL
           FROM held WHERE r.email_id = held.email_id AND r.ordinal = held.ordinal`,
    values: [domains, until, JSON.stringify(reason), penalised, isPenalty],
  });
  return rowCount;
}

/**
 * The condition that row `r` of `recipients` is claimed by this worker. IS NOT DISTINCT FROM keeps the planner from the
 * index of claims, which would be scanned completely, with all dead entries since the last vacuum; a few rows are
 * looked up by primary key instead. For the same reason the keys are passed with a LIMIT parameter: the planner then
 * expects few rows.
 */
export const claimedBy = (worker: string): string => `r.claimed_by IS NOT DISTINCT FROM ${worker}`;
