import { normaliseAddress } from '#libs/mime';
import type { RecipientType } from '#libs/contracts';
import type { SuppressionOrigin } from '#libs/suppressions';
import type { Submission } from './submission.js';

export interface Recipient {
  /** As it goes into the envelope: the local part keeps its case (RFC 5321 §2.4). */
  address: string;
  /** As the suppression list knows it. */
  normal: string;
  type: RecipientType;
  /** `to[3]`: where the caller wrote it. */
  field: string;
  /** Why this recipient is left out; null: he gets the mail. */
  suppressed: SuppressionOrigin | null;
}

/** To, Cc and Bcc without repetitions; the first place of an address counts (D-13). */
export function distinctRecipients(submission: Submission): Recipient[] {
  const seen = new Set<string>();
  const result: Recipient[] = [];
  for (const type of ['to', 'cc', 'bcc'] as const) {
    submission[type].forEach((mailbox, i) => {
      const normal = normaliseAddress(mailbox.address);
      if (seen.has(normal)) return;
      seen.add(normal);
      result.push({ address: mailbox.address, normal, type, field: `${type}[${i}]`, suppressed: null });
    });
  }
  return result;
}
