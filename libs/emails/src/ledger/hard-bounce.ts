import { normaliseAddress } from '#libs/mime';
import type { NewSuppression } from '#libs/suppressions';
import type { DeliveryJob } from './delivery-job.js';
import type { Verdict } from './verdict.js';

/** Classes of a bounce that speak of the recipient itself, not of us or our mail (D-50). */
const RECIPIENT_CLASSES: ReadonlySet<string> = new Set(['invalid_recipient', 'bad_domain', 'inactive_mailbox']);

const REASON_LENGTH = 500;
const TEXT_LENGTH = 1_000;

/** What the suppression list has to know of an outcome, in the same transaction; null for most, and for what was simulated. */
export function hardBounce({ mail }: DeliveryJob, verdict: Verdict): NewSuppression | null {
  if (mail.test || verdict.simulated || verdict.status !== 'bounced') return null;
  if (verdict.bounceType !== 'hard' || !RECIPIENT_CLASSES.has(verdict.bounceClass)) return null;
  const { reply, remote, endedAt } = verdict.outcome;
  return {
    accountId: mail.accountId,
    address: normaliseAddress(verdict.recipient.address),
    origin: 'bounce',
    reason: cut(reply.text, REASON_LENGTH),
    sourceId: mail.id,
    evidence: {
      email_id: mail.id,
      recipient: verdict.recipient.address,
      smtp_code: reply.code,
      enhanced_code: reply.enhanced,
      text: cut(reply.text, TEXT_LENGTH),
      mx: remote.mx,
      feedback_type: null,
      at: endedAt.toISOString(),
    },
  };
}

/** Half of a surrogate pair at the end would make jsonb refuse the whole outcome. */
const cut = (text: string, length: number): string => text.slice(0, length).replace(/\p{Cs}$/u, '');
