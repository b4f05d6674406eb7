import type { Slot } from '../expected-records.js';
import type { Outcome } from './judgement.js';

/** What is believed about one record of a domain, as it lies in `domains.findings`. */
export interface Finding {
  slot: Slot;
  status: 'verified' | 'missing' | 'wrong' | 'unknown';
  observed: string[];
  error: string | null;
  value?: string;
  /** When DNS last answered, ISO 8601 UTC; null: never. */
  checkedAt: string | null;
  /** When a verified record was first seen to be gone: one such answer alone is not believed. */
  lostSince: string | null;
}

const OBSERVED = 10;
const OBSERVED_LENGTH = 1_024;

/** What is believed after an outcome. A verified record is lost when two answers, at least an interval apart, say so. */
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

/** No evidence: what was verified stays so, and what was not says why nothing is known. */
function unanswered(slot: Slot, previous: Finding | undefined, reason: string): Finding {
  const error = `DNS did not answer at the last check: ${reason}. It is asked again.`;
  if (previous?.status === 'verified') return previous;
  if (previous) return { ...previous, error };
  return { slot, status: 'unknown', observed: [], error, checkedAt: null, lostSince: null };
}

/** A TXT record may hold any bytes; JSON and its readers take no NUL. */
const printable = (text: string): string => text.replace(/[\u0000-\u001f\u007f]|\p{Cs}/gu, '\ufffd');
