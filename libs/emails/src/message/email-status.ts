import type { EmailStatus, LastEvent } from '#libs/contracts';

/**
 * The first status in this list that any recipient has is the status of the email
 * (docs/decisions/018-status-and-events.md).
 */
const BY_PRECEDENCE: readonly EmailStatus[] = [
  'complained',
  'bounced',
  'failed',
  'deferred',
  'sending',
  'queued',
  'scheduled',
  'delivered',
  'canceled',
  'suppressed',
];

/** The status of an email, from those of its recipients. */
export function aggregateStatus(recipients: readonly EmailStatus[]): EmailStatus {
  for (const status of BY_PRECEDENCE) if (recipients.includes(status)) return status;
  throw new Error('a mail without recipients has no status');
}

/** The value of `last_event` after a recipient's change to this status. */
export function lastEventOf(status: EmailStatus): LastEvent {
  switch (status) {
    case 'sending':
      return 'sent';
    case 'deferred':
      return 'delivery_delayed';
    case 'scheduled':
    case 'queued':
    case 'delivered':
    case 'bounced':
    case 'failed':
    case 'complained':
    case 'suppressed':
    case 'canceled':
      return status;
  }
}

/** Derived from the statuses of recipients. */
export const emailStatus = { aggregate: aggregateStatus, lastEvent: lastEventOf };
