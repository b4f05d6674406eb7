import type { EmailStatus } from '#libs/contracts';

/**
 * A claim is written on recipients only: nobody pays for a second row to say that a mail is being sent. So a recipient
 * under a claim is `sending`, and one whose claim ended without an outcome waits again.
 */
export function effectiveStatus(row: { status: EmailStatus; attempts: number; claimed: boolean }): EmailStatus {
  if (row.claimed) return 'sending';
  if (row.status !== 'sending') return row.status;
  return row.attempts === 0 ? 'queued' : 'deferred';
}

/** Statuses in which `emails` may stand while the mail's effective status is this one. */
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
 * The effective status of row `e` of `emails`: the worst of its recipients' (D-29), read only while some are under way.
 * Scheduled mail that was claimed and given back unsent stays `scheduled`: nothing of it has begun.
 */
export const EFFECTIVE_STATUS = `
  CASE WHEN e.status NOT IN ('scheduled', 'queued', 'sending', 'deferred') THEN e.status ELSE (
    SELECT CASE WHEN bool_or(r.claimed_by IS NULL AND (r.status = 'deferred' OR (r.status = 'sending' AND r.attempts > 0))) THEN 'deferred'
                WHEN bool_or(r.claimed_by IS NOT NULL) THEN 'sending'
                WHEN e.status <> 'scheduled' AND bool_or(r.status IN ('queued', 'sending')) THEN 'queued'
                ELSE e.status END
      FROM recipients r WHERE r.email_id = e.id) END`;
