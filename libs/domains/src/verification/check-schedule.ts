import type { DomainStatus } from '../domain.entity.js';

/** How long things take, in steps of DOMAIN_CHECK_INTERVAL: with its default of 60 s these are minutes (D-45, D-46). */
export const STEPS = {
  /** Right after an entry was made, or a check was asked for, DNS is looked at on every step. */
  eager: 60,
  /** After that on every fifth. */
  patient: 5,
  /** 72 hours. */
  giveUp: 72 * 60,
  daily: 24 * 60,
  /** How long an active domain keeps sending without a required record. */
  warning: 24 * 60,
} as const;

export interface Standing {
  status: DomainStatus;
  /** Steps since the entry was made; since a check was last asked for, if ever; since the warning began, if it did. */
  age: number;
  sinceAsked: number | null;
  sinceWarning: number | null;
  /** A required record seemed to be lost, or DNS gave no answer: look again before believing it. */
  doubt: 'none' | 'lost' | 'unanswered';
}

/** Steps until DNS is looked at again. */
export function nextCheck(standing: Standing): number {
  switch (standing.status) {
    case 'pending':
      return Math.min(wanted(standing), Math.max(1, STEPS.giveUp - standing.age));
    case 'failed':
      return isEager(standing.sinceAsked) ? 1 : STEPS.daily;
    case 'active':
      if (standing.sinceWarning !== null)
        return Math.min(STEPS.patient, Math.max(1, STEPS.warning - standing.sinceWarning));
      if (standing.doubt === 'lost') return 1;
      return standing.doubt === 'unanswered' ? STEPS.patient : STEPS.daily;
  }
}

const wanted = ({ age, sinceAsked }: Standing): number =>
  age < STEPS.eager || isEager(sinceAsked) ? 1 : STEPS.patient;

/**
 * Steps until the keys of a domain want to be looked at again; null: they do not.
 * @param sinceBegun since a rotation was begun that waits for its records; null: none does
 * @param untilRetired until the replaced keys are destroyed; null: there are none
 */
export function nextKeyCheck(at: {
  sinceBegun: number | null;
  proved: boolean;
  sinceAsked: number | null;
  untilRetired: number | null;
}): number | null {
  if (at.sinceBegun === null) return at.untilRetired === null ? null : Math.max(1, at.untilRetired);
  if (at.proved || at.sinceBegun < STEPS.eager || isEager(at.sinceAsked)) return 1;
  return at.sinceBegun < STEPS.giveUp ? STEPS.patient : STEPS.daily;
}

const isEager = (sinceAsked: number | null): boolean => sinceAsked !== null && sinceAsked < STEPS.eager;
