import { normaliseAddress } from '#libs/mime';
import type { NewSuppression } from '#libs/suppressions';
import type { DeliveryJob } from './delivery-job.js';
import type { Verdict } from './verdict.js';

/** Classes of a bounce that speak of the recipient itself, not of us or our mail (D-50). */
const RECIPIENT_CLASSES: ReadonlySet<string> = new Set(['invalid_recipient', 'bad_domain', 'inactive_mailbox']);

/** What the suppression list has to know of an outcome, in the same transaction; null for most, and for what was simulated. */
export function hardBounce({ mail }: DeliveryJob, verdict: Verdict): NewSuppression | null {
  if (mail.test || verdict.simulated || verdict.status !== 'bounced') return null;
  if (verdict.bounceType !== 'hard' || !RECIPIENT_CLASSES.has(verdict.bounceClass)) return null;
  return {
    accountId: mail.accountId,
    address: normaliseAddress(verdict.recipient.address),
    origin: 'bounce',
    reason: verdict.outcome.reply.text.slice(0, 500),
    sourceId: mail.id,
  };
}
