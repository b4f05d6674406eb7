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

const isEager = (sinceAsked: number | null): boolean => sinceAsked !== null && sinceAsked < STEPS.eager;
