import type { DomainStatus } from '../domain.resource.js';
import { REQUIRED_SLOTS, type Slot } from '../model/expected-records.js';
import { stepsToNextCheck, STEPS } from './check-schedule.js';
import { nextFinding, type Finding } from './finding.js';
import type { Outcome } from './judgement.js';

/** The state of a domain before the check. */
export interface DomainState {
  status: DomainStatus;
  createdAt: Date;
  askedAt: Date | null;
  verifiedAt: Date | null;
  warningSince: Date | null;
  findings: readonly Finding[];
}

/** The state after it. */
export interface DomainTransition {
  status: DomainStatus;
  verifiedAt: Date | null;
  warningSince: Date | null;
  findings: Finding[];
  /** Until the next check; null: none. */
  dueInMs: number | null;
  /** Of the event `domain.updated`; null: no event. */
  reason: 'verified' | 'failed' | 'warning' | 'recovered' | null;
}

export interface CheckTime {
  now: Date;
  /** DOMAIN_CHECK_INTERVAL, of which all other durations are multiples. */
  intervalMs: number;
}

const LOST = new Set<Finding['status']>(['missing', 'wrong']);

type StateChange = Pick<DomainTransition, 'status' | 'verifiedAt' | 'warningSince' | 'reason'>;

/** The transitions of docs/decisions/021. A domain never gets a worse state without an answer of DNS. */
export function transitionDomain(
  state: DomainState,
  outcomes: ReadonlyMap<Slot, Outcome>,
  at: CheckTime,
): DomainTransition {
  const findings = nextFindings(state, outcomes, at);
  const step = state.status === 'active' ? whileActive(state, findings, at) : whileInactive(state, outcomes, at);
  const steps = (since: Date) => (at.now.getTime() - since.getTime()) / at.intervalMs;
  const due = stepsToNextCheck({
    status: step.status,
    age: steps(state.createdAt),
    sinceAsked: state.askedAt && steps(state.askedAt),
    sinceWarning: step.warningSince && steps(step.warningSince),
    doubt: doubtOf(findings, outcomes),
  });
  return { ...step, findings, dueInMs: due * at.intervalMs };
}

/** The operator vouches for the domain: its state does not change, only its findings do. */
export function transitionVouched(
  state: DomainState,
  outcomes: ReadonlyMap<Slot, Outcome>,
  at: CheckTime,
): DomainTransition {
  const { status, verifiedAt, warningSince } = state;
  const findings = nextFindings(state, outcomes, at);
  return { status, verifiedAt, warningSince, reason: null, findings, dueInMs: null };
}

function nextFindings(state: DomainState, outcomes: ReadonlyMap<Slot, Outcome>, at: CheckTime): Finding[] {
  return [...outcomes].map(([slot, outcome]) => {
    const previous = state.findings.find((finding) => finding.slot === slot);
    return nextFinding(slot, { ...(previous ? { previous } : {}), outcome, ...at });
  });
}

/** The domain becomes active when this check alone verified all required records. */
function whileInactive(state: DomainState, outcomes: ReadonlyMap<Slot, Outcome>, at: CheckTime): StateChange {
  const { status, createdAt, verifiedAt } = state;
  if (REQUIRED_SLOTS.every((slot) => outcomes.get(slot)?.verdict === 'verified'))
    return {
      status: 'active',
      verifiedAt: at.now,
      warningSince: null,
      reason: verifiedAt === null ? 'verified' : 'recovered',
    };
  const over = at.now.getTime() - createdAt.getTime() >= STEPS.pendingPeriod * at.intervalMs;
  if (status === 'pending' && over) return { status: 'failed', verifiedAt, warningSince: null, reason: 'failed' };
  return { status, verifiedAt, warningSince: null, reason: null };
}

function whileActive({ verifiedAt, warningSince }: DomainState, findings: Finding[], at: CheckTime): StateChange {
  const lost = findings.filter(({ slot, status }) => REQUIRED_SLOTS.includes(slot) && LOST.has(status));
  if (lost.length === 0)
    return { status: 'active', verifiedAt, warningSince: null, reason: warningSince === null ? null : 'recovered' };
  if (warningSince === null) return { status: 'active', verifiedAt, warningSince: at.now, reason: 'warning' };
  const over = at.now.getTime() - warningSince.getTime() >= STEPS.warningPeriod * at.intervalMs;
  if (over && lost.some(({ checkedAt }) => checkedAt === at.now.toISOString()))
    return { status: 'failed', verifiedAt, warningSince: null, reason: 'failed' };
  return { status: 'active', verifiedAt, warningSince, reason: null };
}

function doubtOf(findings: Finding[], outcomes: ReadonlyMap<Slot, Outcome>): 'none' | 'lost' | 'unanswered' {
  const required = findings.filter(({ slot }) => REQUIRED_SLOTS.includes(slot));
  if (required.some(({ lostSince }) => lostSince !== null)) return 'lost';
  return REQUIRED_SLOTS.some((slot) => outcomes.get(slot)?.verdict === 'unanswered') ? 'unanswered' : 'none';
}
