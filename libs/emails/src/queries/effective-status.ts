import type { EmailStatus } from '#libs/contracts';
import type { Queryable } from '#libs/persistence';

/**
 * A claim is written to the recipient row only; updating the email row too would cost a second write. So the effective
 * status of a claimed recipient is `sending`, and a recipient whose claim ended without an outcome waits again.
 */
export function effectiveStatus(row: { status: EmailStatus; attempts: number; claimed: boolean }): EmailStatus {
  if (row.claimed) return 'sending';
  if (row.status !== 'sending') return row.status;
  return row.attempts === 0 ? 'queued' : 'deferred';
}

/** The stored statuses that an email with this effective status may have. */
export function statusesStoredAs(status: EmailStatus): readonly EmailStatus[] {
  switch (status) {
    case 'queued':
    case 'deferred':
      return [status, 'sending'];
    case 'sending':
      return ['scheduled', 'queued', 'sending', 'deferred'];
    case 'scheduled':
    case 'delivered':
    case 'bounced':
    case 'failed':
    case 'complained':
    case 'suppressed':
    case 'canceled':
      return [status];
  }
}

/**
 * The effective status of row `e` of `emails`: derived from its recipients while some are not final. A scheduled email
 * that was claimed and released without an attempt stays `scheduled`.
 */
export const EFFECTIVE_STATUS = `
  CASE WHEN e.status NOT IN ('scheduled', 'queued', 'sending', 'deferred') THEN e.status ELSE (
    SELECT CASE WHEN bool_or(r.claimed_by IS NULL AND (r.status = 'deferred' OR (r.status = 'sending' AND r.attempts > 0))) THEN 'deferred'
                WHEN bool_or(r.claimed_by IS NOT NULL) THEN 'sending'
                WHEN e.status <> 'scheduled' AND bool_or(r.status IN ('queued', 'sending')) THEN 'queued'
                ELSE e.status END
      FROM recipients r WHERE r.email_id = e.id) END`;

export async function effectiveEmailStatus(db: Queryable, emailId: string): Promise<EmailStatus | null> {
  const { rows } = await db.query<{ status: EmailStatus }>(
    `SELECT ${EFFECTIVE_STATUS} AS status FROM emails e WHERE e.id = $1`,
    [emailId],
  );
  return rows[0]?.status ?? null;
}
