import type { Slot } from '../model/expected-records.js';
import type { Outcome } from './judgement.js';

/** The state of one record of a domain, as stored in `domains.findings`. */
export interface Finding {
  slot: Slot;
  status: 'verified' | 'missing' | 'wrong' | 'unknown';
  observed: string[];
  error: string | null;
  value?: string;
  /** The time of the last answer of DNS, ISO 8601 UTC; null: none yet. */
  checkedAt: string | null;
  /** The time at which a verified record was first missing. A second answer has to confirm it. */
  lostSince: string | null;
}

const OBSERVED = 10;
const OBSERVED_LENGTH = 1_024;

/** The state after an outcome. A verified record is lost after two negative answers, at least an interval apart. */
export function nextFinding(
  slot: Slot,
  { previous, outcome, now, intervalMs }: { previous?: Finding; outcome: Outcome; now: Date; intervalMs: number },
): Finding {
  if (outcome.verdict === 'unanswered') return unanswered(slot, previous, outcome.error);
  const { verdict, observed, error, value } = outcome;
  if (verdict !== 'verified' && previous?.status === 'verified') {
    const lostSince = previous.lostSince ?? now.toISOString();
    if (now.getTime() - Date.parse(lostSince) < intervalMs) return { ...previous, lostSince };
  }
  return {
    slot,
    status: verdict,
    observed: observed.slice(0, OBSERVED).map((text) => printable(text).slice(0, OBSERVED_LENGTH)),
    error,
    ...(value === undefined ? {} : { value: printable(value) }),
    checkedAt: now.toISOString(),
    lostSince: null,
  };
}

/** A verified record stays verified; any other gets the reason as its error. */
function unanswered(slot: Slot, previous: Finding | undefined, reason: string): Finding {
  const error = `DNS did not answer at the last check: ${reason}. It is asked again.`;
  if (previous?.status === 'verified') return previous;
  if (previous) return { ...previous, error };
  return { slot, status: 'unknown', observed: [], error, checkedAt: null, lostSince: null };
}

/** A TXT record may have any octets, but JSON in PostgreSQL must not contain NUL. */
const printable = (text: string): string => text.replace(/[\u0000-\u001f\u007f]|\p{Cs}/gu, '\ufffd');
