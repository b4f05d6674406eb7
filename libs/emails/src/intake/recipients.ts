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

const FIELDS = ['to', 'cc', 'bcc'] as const;

/** To, Cc and Bcc without repetitions; the first place of an address counts (D-13). */
export function distinctRecipients(submission: Submission): Recipient[] {
  const seen = new Set<string>();
  const result: Recipient[] = [];
  for (const type of FIELDS) {
    submission[type].forEach((mailbox, i) => {
      const normal = normaliseAddress(mailbox.address);
      if (seen.has(normal)) return;
      seen.add(normal);
      result.push({ address: mailbox.address, normal, type, field: `${type}[${i}]`, suppressed: null });
    });
  }
  return result;
}

/** The same for what the mail shows: nobody is in two fields, or twice in one. */
export function withoutRepetitions(submission: Submission): Pick<Submission, (typeof FIELDS)[number]> {
  if (FIELDS.reduce((count, type) => count + submission[type].length, 0) === 1) return submission;
  const seen = new Set<string>();
  const [to, cc, bcc] = FIELDS.map((type) =>
    submission[type].filter(({ address }) => {
      const normal = normaliseAddress(address);
      return seen.has(normal) ? false : seen.add(normal);
    }),
  );
  return { to, cc, bcc };
}
