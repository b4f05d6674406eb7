import type { Queryable } from '#libs/persistence';
import type { DeliveryJob } from './delivery-job.js';

/** Gives recipients of ours back unsent, due again only then; their attempts so far stay as they are. */
export async function postpone(
  db: Queryable,
  workerId: string,
  { jobs, until }: { jobs: readonly DeliveryJob[]; until: Date },
): Promise<void> {
  const keys = jobs.flatMap((job) => job.recipients.map((r) => ({ email_id: job.mail.id, ordinal: r.ordinal })));
  await db.query(
    `UPDATE recipients r SET claimed_by = NULL, due_at = $3,
            status = CASE WHEN r.attempts = 0 THEN 'queued' ELSE 'deferred' END
     FROM json_to_recordset($1::json) AS v(email_id text, ordinal smallint)
     WHERE r.email_id = v.email_id AND r.ordinal = v.ordinal AND r.claimed_by = $2`,
    [JSON.stringify(keys), workerId, until],
  );
}
