import type { NewSuppression } from '#libs/suppressions';
import { bounceEntry, type Refused, type RefusedMail } from './bounce-entry.js';
import type { Verdict } from './verdict.js';

/** A verdict, or what a report makes of one that was `delivered`. */
type Judged = Refused &
  (
    | Pick<Extract<Verdict, { status: 'bounced' }>, 'status' | 'bounceType' | 'bounceClass'>
    | { status: Exclude<Verdict['status'], 'bounced'> }
  );

/** Classes of a bounce that speak of the recipient itself, not of us or our mail (D-50). */
const RECIPIENT_CLASSES: ReadonlySet<string> = new Set(['invalid_recipient', 'bad_domain', 'inactive_mailbox']);

/** What the suppression list has to know of an outcome, in the same transaction; null for most, and for what was simulated. */
export function hardBounce(job: RefusedMail, verdict: Judged): NewSuppression | null {
  if (job.mail.test || verdict.simulated || verdict.status !== 'bounced') return null;
  if (verdict.bounceType !== 'hard' || !RECIPIENT_CLASSES.has(verdict.bounceClass)) return null;
  return bounceEntry(job, verdict);
}
