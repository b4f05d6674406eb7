import type { EmailStatus, LastEvent } from '#libs/contracts';

/** Worst first (D-29); `canceled` and then `suppressed` count only if nothing else is left. */
const WORST_FIRST: readonly EmailStatus[] = [
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

/** The status of a mail from those of its recipients. */
export function aggregateStatus(recipients: readonly EmailStatus[]): EmailStatus {
  for (const status of WORST_FIRST) if (recipients.includes(status)) return status;
  throw new Error('a mail without recipients has no status');
}

/** What a recipient's new status adds to `last_event`. */
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
