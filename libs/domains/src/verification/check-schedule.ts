import type { DomainStatus } from '../domain.resource.js';

/** Durations in steps of DOMAIN_CHECK_INTERVAL; minutes with its default of 60 s (docs/decisions/021). */
export const STEPS = {
  /** After the entry was added or a check was requested, DNS is checked at every step. */
  frequentPeriod: 60,
  /** After that at every fifth step. */
  slowInterval: 5,
  /** A domain that is pending for 72 hours fails. */
  pendingPeriod: 72 * 60,
  dailyInterval: 24 * 60,
  /** An active domain may send without a required record for a day. */
  warningPeriod: 24 * 60,
} as const;

export interface CheckState {
  status: DomainStatus;
  /** Steps since the entry was added, since a check was last requested, and since the warning began. */
  age: number;
  sinceAsked: number | null;
  sinceWarning: number | null;
  /** A required record was missing once, or DNS did not answer. Another check has to confirm it. */
  doubt: 'none' | 'lost' | 'unanswered';
}

/** Steps until the next check. */
export function stepsToNextCheck(standing: CheckState): number {
  switch (standing.status) {
    case 'pending':
      return Math.min(pendingInterval(standing), Math.max(1, STEPS.pendingPeriod - standing.age));
    case 'failed':
      return isFrequent(standing.sinceAsked) ? 1 : STEPS.dailyInterval;
    case 'active':
      if (standing.sinceWarning !== null)
        return Math.min(STEPS.slowInterval, Math.max(1, STEPS.warningPeriod - standing.sinceWarning));
      if (standing.doubt === 'lost') return 1;
      return standing.doubt === 'unanswered' ? STEPS.slowInterval : STEPS.dailyInterval;
  }
}

const pendingInterval = ({ age, sinceAsked }: CheckState): number =>
  age < STEPS.frequentPeriod || isFrequent(sinceAsked) ? 1 : STEPS.slowInterval;

/**
 * Steps until the next check of the keys of a domain; null: none is needed.
 * @param sinceBegun since the current rotation began; null: there is none
 * @param untilRetired until the replaced keys are destroyed; null: there are none
 */
export function stepsToNextKeyCheck(at: {
  sinceBegun: number | null;
  proved: boolean;
  sinceAsked: number | null;
  untilRetired: number | null;
}): number | null {
  if (at.sinceBegun === null) return at.untilRetired === null ? null : Math.max(1, at.untilRetired);
  if (at.proved || at.sinceBegun < STEPS.frequentPeriod || isFrequent(at.sinceAsked)) return 1;
  return at.sinceBegun < STEPS.pendingPeriod ? STEPS.slowInterval : STEPS.dailyInterval;
}

const isFrequent = (sinceAsked: number | null): boolean => sinceAsked !== null && sinceAsked < STEPS.frequentPeriod;
